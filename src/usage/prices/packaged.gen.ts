// Written by npm run prices; do not edit. The licence of the prices is in LICENCE-litellm.txt.
export const packagedPrices = `# US dollars per million tokens: input/output/cache read/cache write/cache write of 1 hour
# source: LiteLLM 1.108.4
# date: 2026-11-18
# digest: sha256:06159af9139c49b8e87eb6142d64032159093e7da500e2b01394c8ba60b41833
amazon-nova/nova-lite-v1 0.06/0.24
amazon-nova/nova-micro-v1 0.035/0.14
amazon-nova/nova-premier-v1 2.5/12.5
amazon-nova/nova-pro-v1 0.8/3.2
amazon.nova-2-lite-v1:0 0.3/2.5/0.075 priority 0.525/4.375/0.13125
amazon.nova-2-pro-preview-20251202-v1:0 1.25/10/0.3125 priority 2.1875/17.5
amazon.nova-lite-v1:0 0.06/0.24/0.015
amazon.nova-micro-v1:0 0.035/0.14/0.00875
amazon.nova-premier-v1:0 2.5/12.5/0.625 priority 4.375/21.875/1.09375
amazon.nova-pro-v1:0 0.8/3.2/0.2 flex 0.4/1.6/0.1 priority 1.4/5.6/0.35
anthropic.claude-3-5-haiku-20241022-v1:0 0.8/4/0.08/1
anthropic.claude-3-5-sonnet-20240620-v1:0 3/15/0.3/3.75
anthropic.claude-3-5-sonnet-20241022-v2:0 3/15/0.3/3.75
anthropic.claude-3-7-sonnet-20240620-v1:0 3.6/18/0.36/4.5
anthropic.claude-3-7-sonnet-20250219-v1:0 3/15/0.3/3.75
anthropic.claude-3-opus-20240229-v1:0 15/75/1.5/18.75
anthropic.claude-fable-5 10/50/1/12.5/20
anthropic.claude-fable-5-1 10/50/0.25/12.5/20
anthropic.claude-haiku-4-5@20251001 1/5/0.1/1.25/2
anthropic.claude-haiku-5-5 0.1/0.5/0.01/0.125/0.2 >100000 0.5/2.5/0.05/0.625/1
anthropic.claude-instant-v1 0.8/2.4
anthropic.claude-mythos-5-1 10/50/0.25/12.5/20
anthropic.claude-mythos-preview 27.5/137.5/2.75/34.375/55
anthropic.claude-opus-4-1-20250805-v1:0 15/75/1.5/18.75
anthropic.claude-opus-4-20250514-v1:0 15/75/1.5/18.75
anthropic.claude-opus-4-5-20251101-v1:0 5/25/0.5/6.25/10
anthropic.claude-opus-4-6-v1 5/25/0.5/6.25/10
anthropic.claude-opus-4-7 5/25/0.5/6.25/10
anthropic.claude-opus-4-8 5/25/0.5/6.25/10
anthropic.claude-opus-5 5/25/0.5/6.25/10
anthropic.claude-opus-5-5 4/20/0.2/5/8
anthropic.claude-sonnet-4-20250514-v1:0 3/15/0.3/3.75 >200000 6/22.5/0.6/7.5
anthropic.claude-sonnet-4-5-20250929-v1:0 3/15/0.3/3.75/6 >200000 6/22.5/0.6/7.5/12
anthropic.claude-sonnet-4-6 3/15/0.3/3.75/6
anthropic.claude-sonnet-5 2/10/0.2/2.5/4
anthropic.claude-sonnet-5-5 2/10/0.1/2.5/4
anthropic.claude-v1 8/24
apac.amazon.nova-2-lite-v1:0 0.396/3.311/0.099
apac.amazon.nova-2-pro-preview-20251202-v1:0 1.375/11/0.34375
apac.amazon.nova-lite-v1:0 0.063/0.252/0.01575
apac.amazon.nova-micro-v1:0 0.037/0.148/0.00925
apac.amazon.nova-pro-v1:0 0.84/3.36/0.21 flex 0.42/1.68/0.105
apac.anthropic.claude-fable-5 11/55/1.1/13.75/22
apac.anthropic.claude-haiku-4-5-20251001-v1:0 1.1/5.5/0.11/1.375
apac.anthropic.claude-haiku-5-5 0.11/0.55/0.011/0.1375/0.22 >100000 0.55/2.75/0.055/0.6875/1.1
apac.anthropic.claude-mythos-preview 27.5/137.5/2.75/34.375/55
apac.anthropic.claude-opus-4-7 5.5/27.5/0.55/6.875/11
apac.anthropic.claude-opus-4-8 5.5/27.5/0.55/6.875/11
apac.anthropic.claude-opus-5 5.5/27.5/0.55/6.875/11
apac.anthropic.claude-opus-5-5 4.4/22/0.22/5.5/8.8
apac.anthropic.claude-sonnet-4-20250514-v1:0 3/15/0.3/3.75 >200000 6/22.5/0.6/7.5
apac.anthropic.claude-sonnet-4-6 3.3/16.5/0.33/4.125/6.6
apac.anthropic.claude-sonnet-5 2.2/11/0.22/2.75/4.4
apac.anthropic.claude-sonnet-5-5 2.2/11/0.11/2.75/4.4
au.anthropic.claude-fable-5 11/55/1.1/13.75/22
au.anthropic.claude-haiku-4-5-20251001-v1:0 1.1/5.5/0.11/1.375/2.2
au.anthropic.claude-haiku-5-5 0.11/0.55/0.011/0.1375/0.22 >100000 0.55/2.75/0.055/0.6875/1.1
au.anthropic.claude-mythos-preview 27.5/137.5/2.75/34.375/55
au.anthropic.claude-opus-4-6-v1 5.5/27.5/0.55/6.875/11
au.anthropic.claude-opus-4-7 5.5/27.5/0.55/6.875/11
au.anthropic.claude-opus-4-8 5.5/27.5/0.55/6.875/11
au.anthropic.claude-opus-5 5.5/27.5/0.55/6.875/11
au.anthropic.claude-opus-5-5 4.4/22/0.22/5.5/8.8
au.anthropic.claude-sonnet-4-5-20250929-v1:0 3.3/16.5/0.33/4.125/6.6 >200000 6.6/24.75/0.66/8.25/13.2
au.anthropic.claude-sonnet-4-6 3.3/16.5/0.33/4.125/6.6
au.anthropic.claude-sonnet-5 2.2/11/0.22/2.75/4.4
au.anthropic.claude-sonnet-5-5 2.2/11/0.11/2.75/4.4
azure/apac/gpt-6.1-sol 2.4/12/0.12/3 >272000 4.8/18/0.24/6
azure/chat-latest 5/30/0.5
azure/codex-mini 1.5/6/0.375
azure/computer-use-preview 3/12
azure/eu/codex-mini 1.65/6.6/0.413
azure/eu/computer-use-preview 3.3/13.2
azure/eu/gpt-4.1 2.2/8.8/0.55 priority 3.85/15.4/0.963
azure/eu/gpt-4.1-mini 0.44/1.76/0.11 priority 0.77/3.08/0.193
azure/eu/gpt-4.1-nano 0.11/0.44/0.028
azure/eu/gpt-4o 2.75/11/1.375/1.38
azure/eu/gpt-4o-2024-05-13 5.5/16.5
azure/eu/gpt-4o-2024-08-06 2.75/11/1.375
azure/eu/gpt-4o-2024-11-20 2.75/11/1.375/1.38
azure/eu/gpt-4o-mini 0.165/0.66/0.083
azure/eu/gpt-4o-mini-2024-07-18 0.165/0.66/0.083
azure/eu/gpt-5 1.375/11/0.1375 priority 2.75/22/0.275
azure/eu/gpt-5-2025-08-07 1.375/11/0.1375 priority 2.75/22/0.275
azure/eu/gpt-5-codex 1.375/11/0.138
azure/eu/gpt-5-mini 0.275/2.2/0.0275 priority 0.495/3.96/0.0495
azure/eu/gpt-5-mini-2025-08-07 0.275/2.2/0.0275 priority 0.495/3.96/0.0495
azure/eu/gpt-5-nano 0.055/0.44/0.0055
azure/eu/gpt-5-nano-2025-08-07 0.055/0.44/0.0055
azure/eu/gpt-5-pro 16.5/132
azure/eu/gpt-5.1 1.375/11/0.1375 priority 2.75/22/0.275
azure/eu/gpt-5.1-chat 1.375/11/0.1375
azure/eu/gpt-5.1-codex 1.375/11/0.1375
azure/eu/gpt-5.1-codex-max 1.375/11/0.1375
azure/eu/gpt-5.1-codex-mini 0.275/2.2/0.0275
azure/eu/gpt-5.2 1.925/15.4/0.1925 priority 3.85/30.8/0.385
azure/eu/gpt-5.2-chat 1.925/15.4/0.1925
azure/eu/gpt-5.2-codex 1.925/15.4/0.1925
azure/eu/gpt-5.2-pro 23.1/184.8
azure/eu/gpt-5.3-chat 1.925/15.4/0.1925
azure/eu/gpt-5.3-codex 1.925/15.4/0.1925 priority 3.85/30.8/0.385
azure/eu/gpt-5.4 2.75/16.5/0.275 >272000 5.5/24.75/0.55 priority 5.5/33/0.55
azure/eu/gpt-5.4-2026-03-05 2.75/16.5/0.275 >272000 5.5/24.75/0.55 priority 5.5/33/0.55
azure/eu/gpt-5.4-mini 0.825/4.95/0.0825 priority 1.65/9.9/0.165
azure/eu/gpt-5.4-nano 0.22/1.375/0.022
azure/eu/gpt-5.4-pro 33/198 >272000 66/297
azure/eu/gpt-5.5 5.5/33/0.55 >272000 11/49.5/1.1 priority 13.75/82.5/1.375
azure/eu/gpt-5.5-2026-04-23 5.5/33/0.55 >272000 11/49.5/1.1 priority 13.75/82.5/1.375
azure/eu/gpt-5.5-2026-04-24 5.5/33/0.55 >272000 11/49.5/1.1 priority 13.75/82.5/1.375
azure/eu/gpt-5.6 4.4/22/0.44/5.5 >272000 8.8/33/0.88/11 priority 8.8/44/0.88/11 priority>272000 17.6/66/1.76/22
azure/eu/gpt-5.6-luna 0.22/1.32/0.022/0.275 >272000 0.44/1.98/0.044/0.55 priority 0.44/2.64/0.044/0.55 priority>272000 0.88/3.96/0.088/1.1
azure/eu/gpt-5.6-sol 4.4/22/0.44/5.5 >272000 8.8/33/0.88/11 priority 8.8/44/0.88/11 priority>272000 17.6/66/1.76/22
azure/eu/gpt-5.6-terra 2.2/13.2/0.22/2.75 >272000 4.4/19.8/0.44/5.5 priority 4.4/26.4/0.44/5.5 priority>272000 8.8/39.6/0.88/11
azure/eu/gpt-6-astra 12/60/1.2/15 >272000 24/90/2.4/30
azure/eu/gpt-6-luna 0.12/0.6/0.012/0.15 >272000 0.24/0.9/0.024/0.3
azure/eu/gpt-6-sol 2.4/12/0.24/3 >272000 4.8/18/0.48/6
azure/eu/gpt-6.1-sol 2.4/12/0.12/3 >272000 4.8/18/0.24/6
azure/eu/o1 16.5/66/8.25
azure/eu/o1-2024-12-17 16.5/66/8.25
azure/eu/o1-mini 1.21/4.84/0.605
azure/eu/o1-mini-2024-09-12 1.21/4.84/0.605
azure/eu/o1-preview 16.5/66/8.25
azure/eu/o3 2.2/8.8/0.55
azure/eu/o3-2025-04-16 2.2/8.8/0.55
azure/eu/o3-deep-research 11/44/2.75
azure/eu/o3-mini 1.21/4.84/0.605
azure/eu/o3-mini-2025-01-31 1.21/4.84/0.605
azure/eu/o4-mini 1.21/4.84/0.303
azure/eu/o4-mini-2025-04-16 1.21/4.84/0.303
azure/gpt-3.5-turbo 0.5/1.5
azure/gpt-35-turbo 0.5/1.5
azure/gpt-35-turbo-16k 3/4
azure/gpt-35-turbo-16k-0613 3/4
azure/gpt-4 30/60
azure/gpt-4-0125-preview 10/30
azure/gpt-4-0613 30/60
azure/gpt-4-1106-preview 10/30
azure/gpt-4-32k 60/120
azure/gpt-4-32k-0613 60/120
azure/gpt-4-turbo 11/33
azure/gpt-4-turbo-2024-04-09 11/33
azure/gpt-4-turbo-vision-preview 11/33
azure/gpt-4.1 2/8/0.5 priority 3.5/14/0.875
azure/gpt-4.1-2025-04-14 2/8/0.5 priority 3.5/14/0.875
azure/gpt-4.1-mini 0.4/1.6/0.1 priority 0.7/2.8/0.175
azure/gpt-4.1-mini-2025-04-14 0.4/1.6/0.1 priority 0.7/2.8/0.175
azure/gpt-4.1-nano 0.1/0.4/0.025
azure/gpt-4.1-nano-2025-04-14 0.1/0.4/0.025
azure/gpt-4.5-preview 75/150/37.5
azure/gpt-4o 2.5/10/1.25
azure/gpt-4o-2024-05-13 5/15
azure/gpt-4o-2024-08-06 2.5/10/1.25
azure/gpt-4o-2024-11-20 2.5/10/1.25
azure/gpt-4o-mini 0.15/0.6/0.075
azure/gpt-4o-mini-2024-07-18 0.15/0.6/0.075
azure/gpt-5 1.25/10/0.125 priority 2.5/20/0.25
azure/gpt-5-2025-08-07 1.25/10/0.125 priority 2.5/20/0.25
azure/gpt-5-chat 1.25/10/0.125
azure/gpt-5-codex 1.25/10/0.125
azure/gpt-5-mini 0.25/2/0.025 priority 0.45/3.6/0.045
azure/gpt-5-mini-2025-08-07 0.25/2/0.025 priority 0.45/3.6/0.045
azure/gpt-5-nano 0.05/0.4/0.005
azure/gpt-5-nano-2025-08-07 0.05/0.4/0.005
azure/gpt-5-pro 15/120
azure/gpt-5.1 1.25/10/0.125 priority 2.5/20/0.25
azure/gpt-5.1-2025-11-13 1.25/10/0.125 priority 2.5/20/0.25
azure/gpt-5.1-chat 1.25/10/0.125
azure/gpt-5.1-codex 1.25/10/0.125
azure/gpt-5.1-codex-2025-11-13 1.25/10/0.125 priority 2.5/20/0.25
azure/gpt-5.1-codex-max 1.25/10/0.125
azure/gpt-5.1-codex-mini 0.25/2/0.025
azure/gpt-5.1-codex-mini-2025-11-13 0.25/2/0.025 priority 0.45/3.6/0.045
azure/gpt-5.2 1.75/14/0.175 priority 3.5/28/0.35
azure/gpt-5.2-2025-12-11 1.75/14/0.175 priority 3.5/28/0.35
azure/gpt-5.2-chat 1.75/14/0.175
azure/gpt-5.2-codex 1.75/14/0.175
azure/gpt-5.2-pro 21/168
azure/gpt-5.2-pro-2025-12-11 21/168
azure/gpt-5.3-chat 1.75/14/0.175
azure/gpt-5.3-codex 1.75/14/0.175 priority 3.5/28/0.35
azure/gpt-5.4 2.5/15/0.25 >272000 5/22.5/0.5 flex 1.25/7.5 flex>272000 2.5/11.25/0.25 priority 5/30/0.5 priority>272000 10/45/1
azure/gpt-5.4-2026-03-05 2.5/15/0.25 >272000 5/22.5/0.5 flex 1.25/7.5 flex>272000 2.5/11.25/0.25 priority 5/30/0.5 priority>272000 10/45/1
azure/gpt-5.4-mini 0.75/4.5/0.075 flex 0.375/2.25/0.0375 priority 1.5/9/0.15
azure/gpt-5.4-mini-2026-03-17 0.75/4.5/0.075 flex 0.375/2.25/0.0375 priority 1.5/9/0.15
azure/gpt-5.4-nano 0.2/1.25/0.02 flex 0.1/0.625/0.01
azure/gpt-5.4-nano-2026-03-17 0.2/1.25/0.02 flex 0.1/0.625/0.01
azure/gpt-5.4-pro 30/180/3 >272000 60/270/6 flex 15/90 flex>272000 30/135
azure/gpt-5.4-pro-2026-03-05 30/180/3 >272000 60/270/6 flex 15/90 flex>272000 30/135
azure/gpt-5.5 5/30/0.5 >272000 10/45/1 flex 2.5/-/0.25 flex>272000 5 priority 12.5/75/1.25 priority>272000 20/90/2
azure/gpt-5.5-2026-04-23 5/30/0.5 >272000 10/45/1 flex 2.5/-/0.25 flex>272000 5 priority 12.5/75/1.25 priority>272000 20/90/2
azure/gpt-5.5-2026-04-24 5/30/0.5 >272000 10/45/1 flex 2.5/-/0.25 flex>272000 5 priority 12.5/75/1.25 priority>272000 20/90/2
azure/gpt-5.5-pro 30/180/3 >272000 60/270/6
azure/gpt-5.5-pro-2026-04-23 30/180/3 >272000 60/270/6
azure/gpt-5.6 4/20/0.4/5 >272000 8/30/0.8/10 priority 8/40/0.8/10 priority>272000 16/60/1.6/20
azure/gpt-5.6-luna 0.2/1.2/0.02/0.25 >272000 0.4/1.8/0.04/0.5 flex 0.1/0.6/0.01/0.125 flex>272000 0.2/0.9/0.02/0.25 priority 0.4/2.4/0.04/0.5 priority>272000 0.8/3.6/0.08/1
azure/gpt-5.6-luna-2026-07-09 0.2/1.2/0.02/0.25 >272000 0.4/1.8/0.04/0.5 flex 0.1/0.6/0.01/0.125 flex>272000 0.2/0.9/0.02/0.25 priority 0.4/2.4/0.04/0.5 priority>272000 0.8/3.6/0.08/1
azure/gpt-5.6-sol 4/20/0.4/5 >272000 8/30/0.8/10 flex 2/10/0.2/2.5 flex>272000 4/15/0.4/5 priority 8/40/0.8/10 priority>272000 16/60/1.6/20
azure/gpt-5.6-sol-2026-07-09 4/20/0.4/5 >272000 8/30/0.8/10 flex 2/10/0.2/2.5 flex>272000 4/15/0.4/5 priority 8/40/0.8/10 priority>272000 16/60/1.6/20
azure/gpt-5.6-terra 2/12/0.2/2.5 >272000 4/18/0.4/5 flex 1/6/0.1/1.25 flex>272000 2/9/0.2/2.5 priority 4/24/0.4/5 priority>272000 8/36/0.8/10
azure/gpt-5.6-terra-2026-07-09 2/12/0.2/2.5 >272000 4/18/0.4/5 flex 1/6/0.1/1.25 flex>272000 2/9/0.2/2.5 priority 4/24/0.4/5 priority>272000 8/36/0.8/10
azure/gpt-6-astra 10/50/1/12.5 >272000 20/75/2/25
azure/gpt-6-astra-2026-09-03 10/50/1/12.5 >272000 20/75/2/25
azure/gpt-6-luna 0.1/0.5/0.01/0.125 >272000 0.2/0.75/0.02/0.25
azure/gpt-6-luna-2026-09-22 0.1/0.5/0.01/0.125 >272000 0.2/0.75/0.02/0.25
azure/gpt-6-sol 2/10/0.2/2.5 >272000 4/15/0.4/5 priority 4/20/0.4/5 priority>272000 8/30/0.8/10
azure/gpt-6-sol-2026-09-22 2/10/0.2/2.5 >272000 4/15/0.4/5 priority 4/20/0.4/5 priority>272000 8/30/0.8/10
azure/gpt-6.1-sol 2/10/0.1/2.5 >272000 4/15/0.2/5
azure/gpt-6.1-sol-2026-09-29 2/10/0.1/2.5 >272000 4/15/0.2/5
azure/gpt-chat-latest 5/30/0.5
azure/mistral-large-2402 8/24
azure/mistral-large-latest 8/24
azure/model-router 0.14/0
azure/o1 15/60/7.5
azure/o1-2024-12-17 15/60/7.5
azure/o1-mini 1.1/4.4/0.55
azure/o1-mini-2024-09-12 1.1/4.4/0.55
azure/o3 2/8/0.5
azure/o3-2025-04-16 2/8/0.5
azure/o3-deep-research 10/40/2.5
azure/o3-mini 1.1/4.4/0.55
azure/o3-mini-2025-01-31 1.1/4.4/0.55
azure/o3-pro 20/80
azure/o3-pro-2025-06-10 20/80
azure/o4-mini 1.1/4.4/0.275
azure/o4-mini-2025-04-16 1.1/4.4/0.275
azure/us-gov/gpt-5.1 1.71875/13.75/0.171875
azure/us-gov/o3-mini 1.513/6.05/0.757
azure/us/codex-mini 1.65/6.6/0.413
azure/us/computer-use-preview 3.3/13.2
azure/us/gpt-4.1 2.2/8.8/0.55 priority 3.85/15.4/0.963
azure/us/gpt-4.1-2025-04-14 2.2/8.8/0.55 priority 3.85/15.4/0.963
azure/us/gpt-4.1-mini 0.44/1.76/0.11 priority 0.77/3.08/0.193
azure/us/gpt-4.1-mini-2025-04-14 0.44/1.76/0.11 priority 0.77/3.08/0.193
azure/us/gpt-4.1-nano 0.11/0.44/0.028
azure/us/gpt-4.1-nano-2025-04-14 0.11/0.44/0.028
azure/us/gpt-4o 2.75/11/1.375/1.38
azure/us/gpt-4o-2024-05-13 5.5/16.5
azure/us/gpt-4o-2024-08-06 2.75/11/1.375
azure/us/gpt-4o-2024-11-20 2.75/11/1.375/1.38
azure/us/gpt-4o-mini 0.165/0.66/0.083
azure/us/gpt-4o-mini-2024-07-18 0.165/0.66/0.083
azure/us/gpt-5 1.375/11/0.1375 priority 2.75/22/0.275
azure/us/gpt-5-2025-08-07 1.375/11/0.1375 priority 2.75/22/0.275
azure/us/gpt-5-codex 1.375/11/0.138
azure/us/gpt-5-mini 0.275/2.2/0.0275 priority 0.495/3.96/0.0495
azure/us/gpt-5-mini-2025-08-07 0.275/2.2/0.0275 priority 0.495/3.96/0.0495
azure/us/gpt-5-nano 0.055/0.44/0.0055
azure/us/gpt-5-nano-2025-08-07 0.055/0.44/0.0055
azure/us/gpt-5-pro 16.5/132
azure/us/gpt-5.1 1.375/11/0.1375 priority 2.75/22/0.275
azure/us/gpt-5.1-chat 1.375/11/0.1375
azure/us/gpt-5.1-codex 1.375/11/0.1375
azure/us/gpt-5.1-codex-max 1.375/11/0.1375
azure/us/gpt-5.1-codex-mini 0.275/2.2/0.0275
azure/us/gpt-5.2 1.925/15.4/0.1925 priority 3.85/30.8/0.385
azure/us/gpt-5.2-chat 1.925/15.4/0.1925
azure/us/gpt-5.2-codex 1.925/15.4/0.1925
azure/us/gpt-5.2-pro 23.1/184.8
azure/us/gpt-5.3-chat 1.925/15.4/0.1925
azure/us/gpt-5.3-codex 1.925/15.4/0.1925 priority 3.85/30.8/0.385
azure/us/gpt-5.4 2.75/16.5/0.275 >272000 5.5/24.75/0.55 priority 5.5/33/0.55
azure/us/gpt-5.4-2026-03-05 2.75/16.5/0.275 >272000 5.5/24.75/0.55 priority 5.5/33/0.55
azure/us/gpt-5.4-mini 0.825/4.95/0.0825 priority 1.65/9.9/0.165
azure/us/gpt-5.4-nano 0.22/1.375/0.022
azure/us/gpt-5.4-pro 33/198 >272000 66/297
azure/us/gpt-5.5 5.5/33/0.55 >272000 11/49.5/1.1 priority 13.75/82.5/1.375
azure/us/gpt-5.5-2026-04-23 5.5/33/0.55 >272000 11/49.5/1.1 priority 13.75/82.5/1.375
azure/us/gpt-5.5-2026-04-24 5.5/33/0.55 >272000 11/49.5/1.1 priority 13.75/82.5/1.375
azure/us/gpt-5.6 4.4/22/0.44/5.5 >272000 8.8/33/0.88/11 priority 8.8/44/0.88/11 priority>272000 17.6/66/1.76/22
azure/us/gpt-5.6-luna 0.22/1.32/0.022/0.275 >272000 0.44/1.98/0.044/0.55 priority 0.44/2.64/0.044/0.55 priority>272000 0.88/3.96/0.088/1.1
azure/us/gpt-5.6-sol 4.4/22/0.44/5.5 >272000 8.8/33/0.88/11 priority 8.8/44/0.88/11 priority>272000 17.6/66/1.76/22
azure/us/gpt-5.6-terra 2.2/13.2/0.22/2.75 >272000 4.4/19.8/0.44/5.5 priority 4.4/26.4/0.44/5.5 priority>272000 8.8/39.6/0.88/11
azure/us/gpt-6-astra 11/55/1.1/13.75 >272000 22/82.5/2.2/27.5
azure/us/gpt-6-luna 0.11/0.55/0.011/0.1375 >272000 0.22/0.825/0.022/0.275
azure/us/gpt-6-sol 2.2/11/0.22/2.75 >272000 4.4/16.5/0.44/5.5 priority 4.4/22/0.44/5.5 priority>272000 8.8/33/0.88/11
azure/us/gpt-6.1-sol 2.2/11/0.11/2.75 >272000 4.4/16.5/0.22/5.5
azure/us/gpt-chat-latest 5.5/33/0.55
azure/us/o1 16.5/66/8.25
azure/us/o1-2024-12-17 16.5/66/8.25
azure/us/o1-mini 1.21/4.84/0.605
azure/us/o1-mini-2024-09-12 1.21/4.84/0.605
azure/us/o1-preview 16.5/66/8.25
azure/us/o3 2.2/8.8/0.55
azure/us/o3-2025-04-16 2.2/8.8/0.55
azure/us/o3-deep-research 11/44/2.75
azure/us/o3-mini 1.21/4.84/0.605
azure/us/o3-mini-2025-01-31 1.21/4.84/0.605
azure/us/o4-mini 1.21/4.84/0.303
azure/us/o4-mini-2025-04-16 1.21/4.84/0.303
cerebras/gemma-4-31b 0.99/1.49
cerebras/gpt-oss-120b 0.35/0.75
cerebras/llama-3.3-70b 0.85/1.2
cerebras/llama3.1-70b 0.6/0.6
cerebras/llama3.1-8b 0.1/0.1
cerebras/qwen-3-32b 0.4/0.8
cerebras/qwen-3.8-27b 0.99/1.49
chat-latest 5/30/0.5
claude-fable-5 10/50/1/12.5/20
claude-fable-5-1 10/50/0.25/12.5/20
claude-haiku-4-5 1/5/0.1/1.25/2
claude-haiku-4-5-20251001 1/5/0.1/1.25/2
claude-haiku-5-5 0.1/0.5/0.01/0.125/0.2 >100000 0.5/2.5/0.05/0.625/1
claude-mythos-5 10/50/1/12.5/20
claude-mythos-5-1 10/50/0.25/12.5/20
claude-mythos-preview 10/50/1/12.5/20
claude-opus-4-5 5/25/0.5/6.25/10
claude-opus-4-5-20251101 5/25/0.5/6.25/10
claude-opus-4-6 5/25/0.5/6.25/10
claude-opus-4-6-20260205 5/25/0.5/6.25/10
claude-opus-4-7 5/25/0.5/6.25/10
claude-opus-4-7-20260416 5/25/0.5/6.25/10
claude-opus-4-8 5/25/0.5/6.25/10
claude-opus-5 5/25/0.5/6.25/10
claude-opus-5-5 4/20/0.2/5/8
claude-sonnet-4-5 3/15/0.3/3.75/6
claude-sonnet-4-5-20250929 3/15/0.3/3.75/6
claude-sonnet-4-6 3/15/0.3/3.75/6
claude-sonnet-5 2/10/0.2/2.5/4
claude-sonnet-5-5 2/10/0.1/2.5/4
computer-use-preview 3/12
computer-use-preview-2025-03-11 3/12
dashscope/deepseek-v4-flash 0.2/0.4/0.04
dashscope/deepseek-v4-flash-0731 0.2/0.4/0.04
dashscope/deepseek-v4-pro 2.4/4.8/0.2
dashscope/glm-5.1 1.4/4.4/0.26
dashscope/glm-5.2 1.4/4.4/0.28
dashscope/kimi-k2.7-code 0.95/4/0.19
dashscope/qwen-coder 0.3/1.5
dashscope/qwen-flash 0.05/0.4 >256000 0.25/2
dashscope/qwen-flash-2025-07-28 0.05/0.4 >256000 0.25/2
dashscope/qwen-max 1.6/6.4
dashscope/qwen-plus 0.4/1.2
dashscope/qwen-plus-2025-01-25 0.4/1.2
dashscope/qwen-turbo-2024-11-01 0.05/0.2
dashscope/qwen3-coder-flash 0.3/1.5/0.08 >32000 0.5/2.5/0.12 >128000 0.8/4/0.2 >256000 1.6/9.6/0.4
dashscope/qwen3-coder-flash-2025-07-28 0.3/1.5 >32000 0.5/2.5 >128000 0.8/4 >256000 1.6/9.6
dashscope/qwen3-coder-plus 1/5/0.1 >32000 1.8/9/0.18 >128000 3/15/0.3 >256000 6/60/0.6
dashscope/qwen3-coder-plus-2025-07-22 1/5 >32000 1.8/9 >128000 3/15 >256000 6/60
dashscope/qwen3-max 1.2/6 >32000 2.4/12 >128000 3/15
dashscope/qwen3-max-2026-01-23 1.2/6 >32000 2.4/12 >128000 3/15
dashscope/qwen3-max-preview 1.2/6 >32000 2.4/12 >128000 3/15
dashscope/qwen3-next-80b-a3b-instruct 0.15/1.2
dashscope/qwen3-next-80b-a3b-thinking 0.15/1.2
dashscope/qwen3-vl-235b-a22b-instruct 0.4/1.6
dashscope/qwen3-vl-235b-a22b-thinking 0.4/4
dashscope/qwen3-vl-32b-instruct 0.16/0.64
dashscope/qwen3-vl-32b-thinking 0.16/2.87
dashscope/qwen3-vl-plus 0.2/1.6 >32000 0.3/2.4 >128000 0.6/4.8
dashscope/qwen3.5-plus 0.4/2.4 >256000 0.5/3
dashscope/qwen3.7-max 2.5/7.5/0.5/3.125
dashscope/qwen3.7-plus 0.4/1.6/0.08 >256000 1.2/4.8/0.24
dashscope/qwen3.8-flash 0.15/0.47/0.016/0.2
dashscope/qwen3.8-max 2/6/0.25
dashscope/qwq-plus 0.8/2.4
daybreak-blue-latest 4/20/0.4/5 >272000 8/30/0.8/10
daybreak-red-latest 12.5/75/1.25/15.625 >272000 25/112.5/2.5/31.25
deep-research-pro-preview-12-2025 2/12/0.2
deepseek/deepseek-chat 0.28/0.42/0.028/0
deepseek/deepseek-coder 0.14/0.28/0.014
deepseek/deepseek-flash 0.3/1.2/0.006/0
deepseek/deepseek-r1 0.55/2.19/0.14
deepseek/deepseek-reasoner 0.28/0.42/0.028
deepseek/deepseek-v3 0.27/1.1/0.07/0
deepseek/deepseek-v3.2 0.28/0.4/0.028
deepseek/deepseek-v4-flash 0.3/1.2/0.006/0
deepseek/deepseek-v4-flash-vision-exp 0.3/1.2/0.006/0
deepseek/deepseek-v4-pro 1.32/3.96/0.044/0
eu.amazon.nova-2-lite-v1:0 0.429/3.597/0.10725
eu.amazon.nova-2-pro-preview-20251202-v1:0 1.375/11/0.34375
eu.amazon.nova-lite-v1:0 0.078/0.312/0.0195
eu.amazon.nova-micro-v1:0 0.046/0.184/0.0115
eu.amazon.nova-pro-v1:0 1.05/4.2/0.2625 flex 0.525/2.1/0.13125
eu.anthropic.claude-3-5-haiku-20241022-v1:0 0.8/4/0.08/1
eu.anthropic.claude-3-5-sonnet-20240620-v1:0 3/15/0.3/3.75
eu.anthropic.claude-3-5-sonnet-20241022-v2:0 3/15/0.3/3.75
eu.anthropic.claude-3-7-sonnet-20250219-v1:0 3/15/0.3/3.75
eu.anthropic.claude-3-opus-20240229-v1:0 15/75/1.5/18.75
eu.anthropic.claude-fable-5 11/55/1.1/13.75/22
eu.anthropic.claude-fable-5-1 11/55/0.275/13.75/22
eu.anthropic.claude-haiku-4-5-20251001-v1:0 1.1/5.5/0.11/1.375/2.2
eu.anthropic.claude-haiku-5-5 0.11/0.55/0.011/0.1375/0.22 >100000 0.55/2.75/0.055/0.6875/1.1
eu.anthropic.claude-opus-4-1-20250805-v1:0 15/75/1.5/18.75
eu.anthropic.claude-opus-4-20250514-v1:0 15/75/1.5/18.75
eu.anthropic.claude-opus-4-5-20251101-v1:0 5.5/27.5/0.55/6.875/11
eu.anthropic.claude-opus-4-6-v1 5.5/27.5/0.55/6.875/11
eu.anthropic.claude-opus-4-7 5.5/27.5/0.55/6.875/11
eu.anthropic.claude-opus-4-8 5.5/27.5/0.55/6.875/11
eu.anthropic.claude-opus-5 5.5/27.5/0.55/6.875/11
eu.anthropic.claude-opus-5-5 4.4/22/0.22/5.5/8.8
eu.anthropic.claude-sonnet-4-20250514-v1:0 3/15/0.3/3.75 >200000 6/22.5/0.6/7.5
eu.anthropic.claude-sonnet-4-5-20250929-v1:0 3.3/16.5/0.33/4.125/6.6 >200000 6.6/24.75/0.66/8.25/13.2
eu.anthropic.claude-sonnet-4-6 3.3/16.5/0.33/4.125/6.6
eu.anthropic.claude-sonnet-5 2.2/11/0.22/2.75/4.4
eu.anthropic.claude-sonnet-5-5 2.2/11/0.11/2.75/4.4
gemini-2.5-flash-lite-preview-09-2025 0.1/0.4/0.01
gemini-2.5-flash-preview-09-2025 0.3/2.5/0.03
gemini-3.8-flash-cyber 1.5/7.5/0.15 flex 0.75/3.75/0.075 priority 2.7/13.5/0.27
gemini/deep-research-max-preview-04-2026 2/12
gemini/deep-research-pro-preview-12-2025 2/12
gemini/gemini-2.5-computer-use-preview-10-2025 1.25/10 >200000 2.5/15
gemini/gemini-2.5-flash 0.3/2.5/0.03 flex 0.15/1.25/0.03 priority 0.54/4.5/0.054
gemini/gemini-2.5-flash-lite 0.1/0.4/0.01 flex 0.05/0.2/0.01 priority 0.18/0.72/0.018
gemini/gemini-2.5-pro 1.25/10/0.125 >200000 2.5/15/0.25 flex 0.625/5/0.125 priority 2.25/18/0.225 priority>200000 4.5/27/0.45
gemini/gemini-3-flash-preview 0.5/3/0.05 flex 0.25/1.5/0.05 priority 0.9/5.4/0.09
gemini/gemini-3.1-flash-lite 0.25/1.5/0.025 flex 0.125/0.75/0.0125 priority 0.45/2.7/0.045
gemini/gemini-3.1-flash-lite-preview 0.25/1.5/0.025 flex 0.125/0.75/0.0125 priority 0.45/2.7/0.045
gemini/gemini-3.1-pro-preview 2/12/0.2 >200000 4/18/0.4 flex 1/6/0.2 priority 3.6/21.6/0.36 priority>200000 7.2/32.4/0.72
gemini/gemini-3.1-pro-preview-customtools 2/12/0.2 >200000 4/18/0.4 flex 1/6/0.2 priority 3.6/21.6/0.36 priority>200000 7.2/32.4/0.72
gemini/gemini-3.5-flash 1.5/9/0.15 flex 0.75/4.5/0.08 priority 2.7/16.2/0.27
gemini/gemini-3.5-flash-lite 0.3/2.5/0.03 flex 0.15/1.25/0.02 priority 0.54/4.5/0.05
gemini/gemini-3.6-flash 0.75/3.75/0.075 flex 0.375/1.875/0.0375 priority 1.35/6.75/0.135
gemini/gemini-3.7-flash 0.75/3.75/0.075 flex 0.375/1.875/0.0375 priority 1.35/6.75/0.135
gemini/gemini-3.8-flash 0.75/3.75/0.075 flex 0.375/1.875/0.0375 priority 1.35/6.75/0.135
gemini/gemini-4-argon 2/10/0.1 flex 1/5/0.05 priority 3.6/18/0.18
gemini/gemini-exp-1114 0/0 >128000 0/0
gemini/gemini-exp-1206 0/0 >128000 0/0
gemini/gemini-flash-latest 0.75/3.75/0.075 flex 0.375/1.875/0.0375 priority 1.35/6.75/0.135
gemini/gemini-flash-lite-latest 0.3/2.5/0.03 flex 0.15/1.25/0.02 priority 0.54/4.5/0.05
gemini/gemini-gemma-2-27b-it 0.35/1.05
gemini/gemini-gemma-2-9b-it 0.35/1.05
gemini/gemini-pro-latest 2/12/0.2 >200000 4/18/0.4 flex 1/6/0.2 priority 3.6/21.6/0.36 priority>200000 7.2/32.4/0.72
gemini/gemma-3-27b-it 0/0 >128000 0/0
gemini/gemma-4-26b-a4b-it 0/0
gemini/gemma-4-31b-it 0/0
gemini/learnlm-1.5-pro-experimental 0/0 >128000 0/0
github_copilot/claude-fable-5 10/50/1/12.5
github_copilot/claude-fable-5.1 10/50/0.25/12.5
github_copilot/claude-haiku-4.5 1/5/0.1/1.25
github_copilot/claude-haiku-5.5 0.1/0.5/0.01/0.125 >100000 0.5/2.5/0.05/0.625
github_copilot/claude-opus-4.8 5/25/0.5/6.25
github_copilot/claude-opus-4.8-fast 10/50/1/12.5
github_copilot/claude-opus-5 5/25/0.5/6.25
github_copilot/claude-opus-5.5 4/20/0.2/5
github_copilot/claude-sonnet-4.6 3/15/0.3/3.75
github_copilot/claude-sonnet-5 2/10/0.2/2.5
github_copilot/claude-sonnet-5.5 2/10/0.1/2.5
github_copilot/gemini-3.7-flash 0.75/3.75/0.075
github_copilot/gemini-3.8-flash 0.75/3.75/0.075
github_copilot/gemini-4-argon 2/10/0.1
github_copilot/gpt-5-mini 0.25/2/0.025
github_copilot/gpt-5.3-codex 1.75/14/0.175
github_copilot/gpt-5.4 2.5/15/0.25 >272000 5/22.5/0.5
github_copilot/gpt-5.4-mini 0.75/4.5/0.075
github_copilot/gpt-5.4-nano 0.2/1.25/0.02
github_copilot/gpt-5.5 5/30/0.5 >272000 10/45/1
github_copilot/gpt-5.6-luna 0.2/1.2/0.02/0.25 >200000 0.4/1.8/0.04/0.5
github_copilot/gpt-5.6-sol 4/20/0.4/5 >272000 8/30/0.8/10
github_copilot/gpt-5.6-terra 2/12/0.2/2.5 >272000 4/18/0.4/5
github_copilot/gpt-6-astra 10/50/1/12.5 >272000 20/75/2/25
github_copilot/gpt-6-luna 0.1/0.5/0.01/0.125 >272000 0.2/0.75/0.02/0.25
github_copilot/gpt-6-sol 2/10/0.2/2.5 >272000 4/15/0.4/5
github_copilot/gpt-6.1-sol 2/10/0.1/2.5 >272000 4/15/0.2/5
github_copilot/grok-4.5 2/6/0.5 >200000 4/12/1
github_copilot/grok-4.6 2/6/0.5 >200000 4/12/1
github_copilot/grok-4.7 2/6/0.5 >200000 4/12/1
github_copilot/kimi-k3 3/15/0.3
github_copilot/mai-code-1.1-flash 0.2/1.2/0.02
gpt-3.5-turbo 0.5/1.5
gpt-3.5-turbo-0125 0.5/1.5
gpt-3.5-turbo-1106 1/2
gpt-3.5-turbo-16k 3/4
gpt-4 30/60
gpt-4-0613 30/60
gpt-4-1106-preview 10/30
gpt-4-turbo 10/30
gpt-4-turbo-2024-04-09 10/30
gpt-4.1 2/8/0.5 priority 3.5/14/0.875
gpt-4.1-2025-04-14 2/8/0.5 priority 3.5/14/0.875
gpt-4.1-mini 0.4/1.6/0.1 priority 0.7/2.8/0.175
gpt-4.1-mini-2025-04-14 0.4/1.6/0.1 priority 0.7/2.8/0.175
gpt-4.1-nano 0.1/0.4/0.025 priority 0.2/0.8/0.05
gpt-4.1-nano-2025-04-14 0.1/0.4/0.025 priority 0.2/0.8/0.05
gpt-4o 2.5/10/1.25 priority 4.25/17/2.125
gpt-4o-2024-05-13 5/15 priority 8.75/26.25
gpt-4o-2024-08-06 2.5/10/1.25 priority 4.25/17/2.125
gpt-4o-2024-11-20 2.5/10/1.25 priority 4.25/17/2.125
gpt-4o-mini 0.15/0.6/0.075 priority 0.25/1/0.125
gpt-4o-mini-2024-07-18 0.15/0.6/0.075 priority 0.25/1/0.125
gpt-5 1.25/10/0.125 flex 0.625/5/0.0625 priority 2.5/20/0.25
gpt-5-2025-08-07 1.25/10/0.125 flex 0.625/5/0.0625 priority 2.5/20/0.25
gpt-5-chat 1.25/10/0.125
gpt-5-chat-latest 1.25/10/0.125
gpt-5-codex 1.25/10/0.125
gpt-5-mini 0.25/2/0.025 flex 0.125/1/0.0125 priority 0.45/3.6/0.045
gpt-5-mini-2025-08-07 0.25/2/0.025 flex 0.125/1/0.0125 priority 0.45/3.6/0.045
gpt-5-nano 0.05/0.4/0.005 flex 0.025/0.2/0.0025 priority 2.5
gpt-5-nano-2025-08-07 0.05/0.4/0.005 flex 0.025/0.2/0.0025 priority 2.5
gpt-5-pro 15/120
gpt-5-pro-2025-10-06 15/120
gpt-5.1 1.25/10/0.125 flex 0.625/5/0.0625 priority 2.5/20/0.25
gpt-5.1-2025-11-13 1.25/10/0.125 flex 0.625/5/0.0625 priority 2.5/20/0.25
gpt-5.1-chat-latest 1.25/10/0.125
gpt-5.1-codex 1.25/10/0.125
gpt-5.1-codex-max 1.25/10/0.125
gpt-5.1-codex-mini 0.25/2/0.025
gpt-5.2 1.75/14/0.175 flex 0.875/7/0.0875 priority 3.5/28/0.35
gpt-5.2-2025-12-11 1.75/14/0.175 flex 0.875/7/0.0875 priority 3.5/28/0.35
gpt-5.2-chat-latest 1.75/14/0.175
gpt-5.2-codex 1.75/14/0.175
gpt-5.2-pro 21/168
gpt-5.2-pro-2025-12-11 21/168
gpt-5.3-chat-latest 1.75/14/0.175
gpt-5.3-codex 1.75/14/0.175 priority 3.5/28/0.35
gpt-5.4 2.5/15/0.25 >272000 5/22.5/0.5 flex 1.25/7.5/0.13 flex>272000 2.5/11.25/0.25 priority 5/30/0.5
gpt-5.4-2026-03-05 2.5/15/0.25 >272000 5/22.5/0.5 flex 1.25/7.5/0.13 flex>272000 2.5/11.25/0.25 priority 5/30/0.5
gpt-5.4-mini 0.75/4.5/0.075 flex 0.375/2.25/0.0375 priority 1.5/9/0.15
gpt-5.4-mini-2026-03-17 0.75/4.5/0.075 flex 0.375/2.25/0.0375 priority 1.5/9/0.15
gpt-5.4-nano 0.2/1.25/0.02 flex 0.1/0.625/0.01
gpt-5.4-nano-2026-03-17 0.2/1.25/0.02 flex 0.1/0.625/0.01
gpt-5.4-pro 30/180 >272000 60/270 flex 15/90 flex>272000 30/135
gpt-5.4-pro-2026-03-05 30/180 >272000 60/270 flex 15/90 flex>272000 30/135
gpt-5.5 5/30/0.5 >272000 10/45/1 flex 2.5/15/0.25 flex>272000 5/22.5/0.5 priority 12.5/75/1.25
gpt-5.5-2026-04-23 5/30/0.5 >272000 10/45/1 flex 2.5/15/0.25 flex>272000 5/22.5/0.5 priority 12.5/75/1.25
gpt-5.5-cyber 12.5/75/1.25
gpt-5.5-cyber-preview 12.5/75/1.25
gpt-5.5-pro 30/180 >272000 60/270 flex 15/90
gpt-5.5-pro-2026-04-23 30/180 >272000 60/270 flex 15/90
gpt-5.6 4/20/0.4/5 >272000 8/30/0.8/10 flex 2/10/0.2/2.5 flex>272000 4/15/0.4/5 priority 8/40/0.8/10 priority>272000 16/60/1.6/20
gpt-5.6-cyber 12.5/75/1.25/15.625 >272000 25/112.5/2.5/31.25
gpt-5.6-luna 0.2/1.2/0.02/0.25 >272000 0.4/1.8/0.04/0.5 flex 0.1/0.6/0.01/0.125 flex>272000 0.2/0.9/0.02/0.25 priority 0.4/2.4/0.04/0.5 priority>272000 0.8/3.6/0.08/1
gpt-5.6-sol 4/20/0.4/5 >272000 8/30/0.8/10 flex 2/10/0.2/2.5 flex>272000 4/15/0.4/5 priority 8/40/0.8/10 priority>272000 16/60/1.6/20
gpt-5.6-terra 2/12/0.2/2.5 >272000 4/18/0.4/5 flex 1/6/0.1/1.25 flex>272000 2/9/0.2/2.5 priority 4/24/0.4/5 priority>272000 8/36/0.8/10
gpt-6-astra 10/50/1/12.5 >272000 20/75/2/25 flex 5/25/0.5/6.25 flex>272000 10/37.5/1/12.5 priority 20/100/2/25 priority>272000 40/150/4/50
gpt-6-luna 0.1/0.5/0.01/0.125 >272000 0.2/0.75/0.02/0.25 flex 0.05/0.25/0.005/0.0625 flex>272000 0.1/0.375/0.01/0.125 priority 0.2/1/0.02/0.25 priority>272000 0.4/1.5/0.04/0.5
gpt-6-sol 2/10/0.2/2.5 >272000 4/15/0.4/5 flex 1/5/0.1/1.25 flex>272000 2/7.5/0.2/2.5 priority 4/20/0.4/5 priority>272000 8/30/0.8/10
gpt-6.1-sol 2/10/0.1/2.5 >272000 4/15/0.2/5 flex 1/5/0.05/1.25 flex>272000 2/7.5/0.1/2.5 priority 4/20/0.2/5 priority>272000 8/30/0.4/10
gpt-daybreak-blue-latest 4/20/0.4/5 >272000 8/30/0.8/10
gpt-daybreak-red-latest 12.5/75/1.25/15.625 >272000 25/112.5/2.5/31.25
gpt-rosalind-discovery 5/25/0.5
gpt-rosalind-research 5/25/0.5
groq/llama-guard-3-8b 0.2/0.2
groq/meta-llama/llama-prompt-guard-2-22m 0.03/0.03
groq/meta-llama/llama-prompt-guard-2-86m 0.04/0.04
groq/openai/gpt-oss-120b 0.15/0.6/0.075
groq/openai/gpt-oss-20b 0.075/0.3/0.0375
groq/openai/gpt-oss-safeguard-20b 0.075/0.3/0.037
groq/qwen/qwen3.8-27b 0.8/4
jp.amazon.nova-2-lite-v1:0 0.396/3.311/0.099 flex 0.198/1.6555/0.0495 priority 0.693/5.79425/0.17325
jp.anthropic.claude-haiku-4-5-20251001-v1:0 1.1/5.5/0.11/1.375/2.2
jp.anthropic.claude-haiku-5-5 0.11/0.55/0.011/0.1375/0.22 >100000 0.55/2.75/0.055/0.6875/1.1
jp.anthropic.claude-opus-4-7 5.5/27.5/0.55/6.875/11
jp.anthropic.claude-opus-4-8 5.5/27.5/0.55/6.875/11
jp.anthropic.claude-opus-5 5.5/27.5/0.55/6.875/11
jp.anthropic.claude-opus-5-5 4.4/22/0.22/5.5/8.8
jp.anthropic.claude-sonnet-4-5-20250929-v1:0 3.3/16.5/0.33/4.125/6.6 >200000 6.6/24.75/0.66/8.25/13.2
jp.anthropic.claude-sonnet-4-6 3.3/16.5/0.33/4.125/6.6
jp.anthropic.claude-sonnet-5 2.2/11/0.22/2.75/4.4
jp.anthropic.claude-sonnet-5-5 2.2/11/0.11/2.75/4.4
minimax/MiniMax-M2 0.3/1.2/0.03/0.375
minimax/MiniMax-M2.1 0.3/1.2/0.03/0.375
minimax/MiniMax-M2.1-lightning 0.3/2.4/0.03/0.375
minimax/MiniMax-M2.5 0.3/1.2/0.03/0.375
minimax/MiniMax-M2.5-lightning 0.3/2.4/0.03/0.375
minimax/MiniMax-M3 0.3/1.2/0.06 >512000 0.6/2.4/0.12
mistral/codestral-2508 0.3/0.9/0.03
mistral/codestral-latest 0.3/0.9/0.03
mistral/codestral-mamba-latest 0.25/0.25/0.025
mistral/devstral-latest 0.4/2/0.04
mistral/devstral-medium-latest 0.4/2/0.04
mistral/devstral-small-latest 0.1/0.3/0.01
mistral/glm-5-2 1.4/4.4/0.14
mistral/labs-leanstral-1-5 0/0
mistral/labs-leanstral-1-5-1 0/0
mistral/magistral-medium-latest 1.5/7.5/0.15
mistral/magistral-small-latest 0.15/0.6/0.015
mistral/ministral-14b-2512 0.2/0.2/0.02
mistral/ministral-14b-latest 0.2/0.2/0.02
mistral/ministral-3-14b-2512 0.2/0.2/0.02
mistral/ministral-3-3b-2512 0.1/0.1/0.01
mistral/ministral-3-8b-2512 0.15/0.15/0.015
mistral/ministral-3b-2512 0.1/0.1/0.01
mistral/ministral-3b-latest 0.1/0.1/0.01
mistral/ministral-8b-2512 0.15/0.15/0.015
mistral/ministral-8b-latest 0.15/0.15/0.015
mistral/mistral-code-agent-latest 0.4/2/0.04
mistral/mistral-code-fim-latest 0.3/0.9/0.03
mistral/mistral-code-latest 0.3/0.9/0.03
mistral/mistral-large-2512 0.5/1.5/0.05
mistral/mistral-large-3 0.5/1.5/0.05
mistral/mistral-large-4 0.68/2.09/0.068
mistral/mistral-large-4-0 0.68/2.09/0.068
mistral/mistral-large-latest 0.5/1.5/0.05
mistral/mistral-medium 1.5/7.5/0.15
mistral/mistral-medium-2604 1.5/7.5/0.15
mistral/mistral-medium-3 1.5/7.5/0.15
mistral/mistral-medium-3-5 1.5/7.5/0.15
mistral/mistral-medium-latest 1.5/7.5/0.15
mistral/mistral-small 0.1/0.3/0.01
mistral/mistral-small-2603 0.15/0.6/0.015
mistral/mistral-small-latest 0.15/0.6/0.015
mistral/mistral-tiny 0.25/0.25/0.025
mistral/mistral-vibe-cli-fast 0.15/0.6/0.015
mistral/mistral-vibe-cli-latest 1.5/7.5/0.15
mistral/mistral-vibe-cli-with-tools 1.5/7.5/0.15
mistral/open-mistral-nemo 0.3/0.3/0.03
mistral/pixtral-large-latest 2/6/0.2
mistral/zai-glm-5 1.4/4.4/0.14
mistral/zai-glm-5-2 1.4/4.4/0.14
mistral/zai-glm-5-3 1.4/4.4/0.14
mistral/zai-glm-latest 1.4/4.4/0.14
moonshot/kimi-k2.5 0.6/3/0.1
moonshot/kimi-k2.6 0.95/4/0.16
moonshot/kimi-k2.7-code 0.95/4/0.19
moonshot/kimi-k3 3/15/0.3
moonshot/moonshot-v1-128k 2/5
moonshot/moonshot-v1-128k-vision-preview 2/5
moonshot/moonshot-v1-32k 1/3
moonshot/moonshot-v1-32k-vision-preview 1/3
moonshot/moonshot-v1-8k 0.2/2
moonshot/moonshot-v1-8k-vision-preview 0.2/2
moonshot/moonshot-v1-auto 2/5
o1 15/60/7.5
o1-2024-12-17 15/60/7.5
o1-pro 150/600
o1-pro-2025-03-19 150/600
o3 2/8/0.5 flex 1/4/0.25 priority 3.5/14/0.875
o3-2025-04-16 2/8/0.5 flex 1/4/0.25 priority 3.5/14/0.875
o3-deep-research 10/40/2.5
o3-deep-research-2025-06-26 10/40/2.5
o3-mini 1.1/4.4/0.55
o3-mini-2025-01-31 1.1/4.4/0.55
o3-pro 20/80
o3-pro-2025-06-10 20/80
o4-mini 1.1/4.4/0.275 flex 0.55/2.2/0.138 priority 2/8/0.5
o4-mini-2025-04-16 1.1/4.4/0.275 flex 0.55/2.2/0.138 priority 2/8/0.5
o4-mini-deep-research 2/8/0.5
o4-mini-deep-research-2025-06-26 2/8/0.5
us-gov.anthropic.claude-fable-5-1 12/60/0.3/15/24
us-gov.anthropic.claude-haiku-5-5 0.12/0.6/0.012/0.15/0.24 >100000 0.6/3/0.06/0.75/1.2
us-gov.anthropic.claude-opus-4-8 6/30/0.6/7.5/12
us-gov.anthropic.claude-opus-5 6/30/0.6/7.5/12
us-gov.anthropic.claude-opus-5-5 4.8/24/0.24/6/9.6
us-gov.anthropic.claude-sonnet-4-5-20250929-v1:0 3.6/18/0.36/4.5/7.2 >200000 7.2/27/0.72/9/14.4
us-gov.anthropic.claude-sonnet-5 2.4/12/0.24/3/4.8
us-gov.anthropic.claude-sonnet-5-5 2.4/12/0.12/3/4.8
us.amazon.nova-2-lite-v1:0 0.33/2.75/0.0825 flex 0.165/1.375/0.04125 priority 0.5775/4.8125/0.144375
us.amazon.nova-2-pro-preview-20251202-v1:0 1.375/11/0.34375 priority 2.40625/19.25
us.amazon.nova-lite-v1:0 0.06/0.24/0.015
us.amazon.nova-micro-v1:0 0.035/0.14/0.00875
us.amazon.nova-pro-v1:0 0.8/3.2/0.2 flex 0.4/1.6/0.1 priority 1.4/5.6/0.35
us.anthropic.claude-3-5-haiku-20241022-v1:0 0.8/4/0.08/1
us.anthropic.claude-3-5-sonnet-20240620-v1:0 3/15/0.3/3.75
us.anthropic.claude-3-5-sonnet-20241022-v2:0 3/15/0.3/3.75
us.anthropic.claude-3-7-sonnet-20250219-v1:0 3/15/0.3/3.75
us.anthropic.claude-3-opus-20240229-v1:0 15/75/1.5/18.75
us.anthropic.claude-fable-5 11/55/1.1/13.75/22
us.anthropic.claude-fable-5-1 11/55/0.275/13.75/22
us.anthropic.claude-haiku-4-5-20251001-v1:0 1.1/5.5/0.11/1.375/2.2
us.anthropic.claude-haiku-5-5 0.11/0.55/0.011/0.1375/0.22 >100000 0.55/2.75/0.055/0.6875/1.1
us.anthropic.claude-mythos-5 11/55/1.1/13.75/22
us.anthropic.claude-mythos-5-1 11/55/0.275/13.75/22
us.anthropic.claude-mythos-preview 27.5/137.5/2.75/34.375/55
us.anthropic.claude-opus-4-1-20250805-v1:0 15/75/1.5/18.75
us.anthropic.claude-opus-4-20250514-v1:0 15/75/1.5/18.75
us.anthropic.claude-opus-4-5-20251101-v1:0 5.5/27.5/0.55/6.875/11
us.anthropic.claude-opus-4-6-v1 5.5/27.5/0.55/6.875/11
us.anthropic.claude-opus-4-7 5.5/27.5/0.55/6.875/11
us.anthropic.claude-opus-4-8 5.5/27.5/0.55/6.875/11
us.anthropic.claude-opus-5 5.5/27.5/0.55/6.875/11
us.anthropic.claude-opus-5-5 4.4/22/0.22/5.5/8.8
us.anthropic.claude-sonnet-4-20250514-v1:0 3/15/0.3/3.75 >200000 6/22.5/0.6/7.5
us.anthropic.claude-sonnet-4-5-20250929-v1:0 3.3/16.5/0.33/4.125/6.6 >200000 6.6/24.75/0.66/8.25/13.2
us.anthropic.claude-sonnet-4-6 3.3/16.5/0.33/4.125/6.6
us.anthropic.claude-sonnet-5 2.2/11/0.22/2.75/4.4
us.anthropic.claude-sonnet-5-5 2.2/11/0.11/2.75/4.4
vertex_ai/claude-3-5-haiku 1/5
vertex_ai/claude-3-5-haiku@20241022 1/5
vertex_ai/claude-3-5-sonnet 3/15
vertex_ai/claude-3-5-sonnet@20240620 3/15
vertex_ai/claude-3-haiku 0.25/1.25
vertex_ai/claude-3-haiku@20240307 0.25/1.25
vertex_ai/claude-3-opus 15/75
vertex_ai/claude-3-opus@20240229 15/75
vertex_ai/claude-3-sonnet 3/15
vertex_ai/claude-3-sonnet@20240229 3/15
vertex_ai/claude-fable-5 10/50/1/12.5/20
vertex_ai/claude-fable-5-1 10/50/0.25/12.5/20
vertex_ai/claude-haiku-4-5 1/5/0.1/1.25/2
vertex_ai/claude-haiku-4-5@20251001 1/5/0.1/1.25/2
vertex_ai/claude-haiku-5-5 0.1/0.5/0.01/0.125/0.2 >100000 0.5/2.5/0.05/0.625/1
vertex_ai/claude-opus-4-5 5/25/0.5/6.25/10
vertex_ai/claude-opus-4-5@20251101 5/25/0.5/6.25/10
vertex_ai/claude-opus-4-6 5/25/0.5/6.25/10
vertex_ai/claude-opus-4-7 5/25/0.5/6.25/10
vertex_ai/claude-opus-4-8 5/25/0.5/6.25/10
vertex_ai/claude-opus-5 5/25/0.5/6.25/10
vertex_ai/claude-opus-5-5 4/20/0.2/5/8
vertex_ai/claude-sonnet-4-5 3/15/0.3/3.75/6 >200000 6/22.5/0.6/7.5/12
vertex_ai/claude-sonnet-4-5@20250929 3/15/0.3/3.75/6 >200000 6/22.5/0.6/7.5/12
vertex_ai/claude-sonnet-4-6 3/15/0.3/3.75/6
vertex_ai/claude-sonnet-5 2/10/0.2/2.5/4
vertex_ai/claude-sonnet-5-5 2/10/0.1/2.5/4
vertex_ai/deep-research-pro-preview-12-2025 2/12/0.2
vertex_ai/gemini-2.0-flash 0.15/0.6
vertex_ai/gemini-2.0-flash-lite 0.075/0.3
vertex_ai/gemini-3-flash-preview 0.5/3/0.05 flex 0.25/1.5 priority 0.9/5.4/0.09
vertex_ai/gemini-3-pro-preview 2/12/0.2 >200000 4/18/0.4/0.25 priority 3.6/21.6/0.36 priority>200000 7.2/32.4/0.72
vertex_ai/gemini-3.1-flash-lite 0.25/1.5/0.025 flex 0.125/0.75/0.0125 priority 0.45/2.7/0.045
vertex_ai/gemini-3.1-flash-lite-preview 0.25/1.5/0.025
vertex_ai/gemini-3.1-pro-preview 2/12/0.2 >200000 4/18/0.4/0.25 flex 1/6 flex>200000 2/9 priority 3.6/21.6/0.36 priority>200000 7.2/32.4/0.72
vertex_ai/gemini-3.1-pro-preview-customtools 2/12/0.2 >200000 4/18/0.4/0.25 priority 3.6/21.6/0.36 priority>200000 7.2/32.4/0.72
vertex_ai/gemini-3.5-flash 1.5/9/0.15 flex 0.75/4.5/0.075 priority 2.7/16.2/0.27
vertex_ai/gemini-3.5-flash-lite 0.3/2.5/0.03 flex 0.15/1.25/0.015 priority 0.54/4.5/0.054
vertex_ai/gemini-3.6-flash 0.75/3.75/0.075 flex 0.375/1.875/0.0375 priority 1.35/6.75/0.135
vertex_ai/gemini-3.7-flash 0.75/3.75/0.075 flex 0.375/1.875/0.0375 priority 1.35/6.75/0.135
vertex_ai/gemini-3.8-flash 0.75/3.75/0.075 flex 0.375/1.875/0.0375 priority 1.35/6.75/0.135
vertex_ai/gemini-3.8-flash-cyber 1.5/7.5/0.15 flex 0.75/3.75/0.075 priority 2.7/13.5/0.27
vertex_ai/gemini-4-argon 2/10/0.1 flex 1/5/0.05 priority 3.6/18/0.18
vertex_ai/gemini-4-argon-cyber-permissive 4/20/0.2 flex 2/10/0.1 priority 7.2/36/0.36
vertex_ai/gemma-4-26b-a4b-it 0.15/0.6/0.015
xai/grok-4.20 1.25/2.5/0.2 >200000 2.5/5/0.4
xai/grok-4.20-0309 1.25/2.5/0.2 >200000 2.5/5/0.4
xai/grok-4.20-0309-non-reasoning 1.25/2.5/0.2 >200000 2.5/5/0.4
xai/grok-4.20-0309-reasoning 1.25/2.5/0.2 >200000 2.5/5/0.4
xai/grok-4.20-beta 1.25/2.5/0.2 >200000 2.5/5/0.4
xai/grok-4.20-beta-0309 1.25/2.5/0.2 >200000 2.5/5/0.4
xai/grok-4.20-beta-0309-non-reasoning 1.25/2.5/0.2 >200000 2.5/5/0.4
xai/grok-4.20-beta-0309-reasoning 1.25/2.5/0.2 >200000 2.5/5/0.4
xai/grok-4.20-beta-latest 1.25/2.5/0.2 >200000 2.5/5/0.4
xai/grok-4.20-beta-latest-non-reasoning 1.25/2.5/0.2 >200000 2.5/5/0.4
xai/grok-4.20-beta-latest-reasoning 1.25/2.5/0.2 >200000 2.5/5/0.4
xai/grok-4.20-beta-non-reasoning 1.25/2.5/0.2 >200000 2.5/5/0.4
xai/grok-4.20-beta-reasoning 1.25/2.5/0.2 >200000 2.5/5/0.4
xai/grok-4.20-experimental-beta-0304 1.25/2.5/0.2 >200000 2.5/5/0.4
xai/grok-4.20-experimental-beta-0304-non-reasoning 1.25/2.5/0.2 >200000 2.5/5/0.4
xai/grok-4.20-experimental-beta-0304-reasoning 1.25/2.5/0.2 >200000 2.5/5/0.4
xai/grok-4.20-experimental-beta-latest 1.25/2.5/0.2 >200000 2.5/5/0.4
xai/grok-4.20-experimental-beta-non-reasoning-latest 1.25/2.5/0.2 >200000 2.5/5/0.4
xai/grok-4.20-experimental-beta-reasoning-latest 1.25/2.5/0.2 >200000 2.5/5/0.4
xai/grok-4.20-multi-agent 1.25/2.5/0.2 >200000 2.5/5/0.4
xai/grok-4.20-multi-agent-0309 1.25/2.5/0.2 >200000 2.5/5/0.4
xai/grok-4.20-multi-agent-beta-0309 1.25/2.5/0.2 >200000 2.5/5/0.4
xai/grok-4.20-multi-agent-beta-latest 1.25/2.5/0.2 >200000 2.5/5/0.4
xai/grok-4.20-multi-agent-experimental-beta-0304 1.25/2.5/0.2 >200000 2.5/5/0.4
xai/grok-4.20-multi-agent-experimental-beta-latest 1.25/2.5/0.2 >200000 2.5/5/0.4
xai/grok-4.20-multi-agent-latest 1.25/2.5/0.2 >200000 2.5/5/0.4
xai/grok-4.20-non-reasoning 1.25/2.5/0.2 >200000 2.5/5/0.4
xai/grok-4.20-non-reasoning-gv2 1.25/2.5/0.2 >200000 2.5/5/0.4
xai/grok-4.20-non-reasoning-latest 1.25/2.5/0.2 >200000 2.5/5/0.4
xai/grok-4.20-reasoning 1.25/2.5/0.2 >200000 2.5/5/0.4
xai/grok-4.20-reasoning-gv2 1.25/2.5/0.2 >200000 2.5/5/0.4
xai/grok-4.20-reasoning-latest 1.25/2.5/0.2 >200000 2.5/5/0.4
xai/grok-4.3 1.25/2.5/0.2 >200000 2.5/5/0.4
xai/grok-4.3-latest 1.25/2.5/0.2 >200000 2.5/5/0.4
xai/grok-4.5 2/6/0.3 >200000 4/12/0.6
xai/grok-4.5-latest 2/6/0.3 >200000 4/12/0.6
xai/grok-4.6 2/6/0.5 >200000 4/12/1
xai/grok-4.7 2/6/0.5 >200000 4/12/1
xai/grok-build-0.1 1/2/0.2 >200000 2/4/0.4
xai/grok-build-latest 2/6/0.3 >200000 4/12/0.6
xai/grok-code-fast 1/2/0.2 >200000 2/4/0.4
xai/grok-code-fast-1 1/2/0.2 >200000 2/4/0.4
xai/grok-code-fast-1-0825 1/2/0.2 >200000 2/4/0.4
zai/glm-4-32b-0414-128k 0.1/0.1
zai/glm-4.5 0.6/2.2
zai/glm-4.5-air 0.2/1.1
zai/glm-4.5-airx 1.1/4.5
zai/glm-4.5-flash 0/0
zai/glm-4.5-x 2.2/8.9
zai/glm-4.5v 0.6/1.8
zai/glm-4.6 0.6/2.2/0.11/0
zai/glm-4.7 0.6/2.2/0.11/0
zai/glm-4.7-flash 0/0/0/0
zai/glm-5 1/3.2/0.2/0
zai/glm-5-code 1.2/5/0.3/0
zai/glm-5.1 1.4/4.4/0.26/0
zai/glm-5.2 1.4/4.4/0.26/0
zai/glm-5.3 1.4/4.4/0.26/0
zai/glm-5.3-flash 0.15/0.5/0.03/0
`
