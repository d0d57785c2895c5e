import type { Rule } from './rule.ts'

/** Not in the middle of a word: keeps a scan linear, and random base64 from matching. */
const START = '(?<![A-Za-z0-9_-])'

const key = (id: string, body: string): Rule => ({ id, pattern: new RegExp(`${START}(?:${body})`, 'g') })

/** Keys with a known prefix that secretlint's rules miss, or know only in one exact length. */
export const keyRules: readonly Rule[] = [
  key('anthropic-key', 'sk-ant-[a-z0-9]{2,12}-[A-Za-z0-9_-]{20,300}'),
  key('openai-key', 'sk-(?:proj|svcacct|admin|service|None)-[A-Za-z0-9_-]{20,300}|sk-[A-Za-z0-9]{32,100}'),
  key('github-token', 'gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_[A-Za-z0-9_]{22,255}'),
  key('gitlab-token', 'gl(?:pat|dt|rt|cbt|ptt|ft|soat|imt|agent|oas)-[A-Za-z0-9_.-]{20,300}'),
  key('google-key', 'AIza[A-Za-z0-9_-]{35}|ya29\\.[A-Za-z0-9_-]{20,2000}|GOCSPX-[A-Za-z0-9_-]{20,40}'),
  key('slack-token', 'xox[abceoprs](?:\\.xox[bp])?-[A-Za-z0-9-]{10,400}|xapp-\\d-[A-Za-z0-9-]{10,400}'),
  key('npm-token', 'npm_[A-Za-z0-9]{36,100}'),
  key('stripe-key', '(?:[sr]k_(?:live|test)|whsec)_[A-Za-z0-9]{16,300}'),
  key('aws-key-id', '(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])'),
  key('jwt', 'eyJ[A-Za-z0-9_-]{10,4000}\\.eyJ[A-Za-z0-9_-]{10,8000}\\.[A-Za-z0-9_-]{10,2000}'),
  // OpenRouter, Hugging Face, Groq, xAI, Perplexity, Replicate, PyPI, DigitalOcean, Vault, Atlassian, Databricks, age.
  key(
    'service-key',
    [
      'sk-or-v1-[0-9a-f]{40,80}',
      'hf_[A-Za-z0-9]{30,60}',
      'gsk_[A-Za-z0-9]{40,80}',
      'xai-[A-Za-z0-9]{60,100}',
      'pplx-[A-Za-z0-9]{40,80}',
      'r8_[A-Za-z0-9]{30,50}',
      'pypi-AgE[A-Za-z0-9_-]{50,400}',
      'do[opr]_v1_[0-9a-f]{64}',
      'hv[sb]\\.[A-Za-z0-9_-]{24,300}',
      'ATATT3[A-Za-z0-9_=-]{50,400}',
      'dapi[0-9a-f]{32}',
      'AGE-SECRET-KEY-1[0-9A-Z]{50,70}',
    ].join('|'),
  ),
]
