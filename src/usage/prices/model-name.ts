/** A model's name taken apart: two names with the same `body` and `date` are the same model. */
export interface ModelName {
  /** Who serves it, the outermost first: `openrouter/x-ai/grok-4.5` has openrouter and xai. */
  readonly route: readonly string[]
  /** In lower case, with `4-5` for `4.5`, without providers, dates and versions of an API. */
  readonly body: string
  /** `20251101`, if the name ends with a date. */
  readonly date: string | undefined
}

/** How providers are written before a model's name, and what they are called here. Empty: no provider, but part of a path. */
const providers: Readonly<Record<string, string>> = {
  models: '',
  publishers: '',
  anthropic: 'anthropic',
  openai: 'openai',
  gemini: 'google',
  google: 'google',
  vertex: 'vertex_ai',
  vertex_ai: 'vertex_ai',
  vertexai: 'vertex_ai',
  'google-vertex': 'vertex_ai',
  'google-vertex-anthropic': 'vertex_ai',
  bedrock: 'bedrock',
  'amazon-bedrock': 'bedrock',
  'amazon-nova': 'amazon',
  amazon: 'amazon',
  azure: 'azure',
  azure_ai: 'azure',
  copilot: 'github_copilot',
  'github-copilot': 'github_copilot',
  github_copilot: 'github_copilot',
  openrouter: 'openrouter',
  xai: 'xai',
  'x-ai': 'xai',
  mistral: 'mistral',
  mistralai: 'mistral',
  deepseek: 'deepseek',
  'deepseek-ai': 'deepseek',
  moonshot: 'moonshot',
  moonshotai: 'moonshot',
  dashscope: 'dashscope',
  alibaba: 'dashscope',
  qwen: 'dashscope',
  zai: 'zai',
  'z-ai': 'zai',
  'zai-org': 'zai',
  zhipuai: 'zai',
  minimax: 'minimax',
  groq: 'groq',
  cerebras: 'cerebras',
}

/** Whose model it is, by the beginning of its name. */
const makers: readonly (readonly [maker: string, begins: RegExp])[] = [
  ['anthropic', /^claude/],
  ['openai', /^(gpt|chatgpt|codex|o\d)/],
  ['google', /^(gemini|gemma)/],
  ['xai', /^grok/],
  ['moonshot', /^(kimi|moonshot)/],
  ['zai', /^glm/],
  ['dashscope', /^(qwen|qwq)/],
  ['deepseek', /^deepseek/],
  ['mistral', /^(mistral|ministral|magistral|devstral|codestral|pixtral|open-mistral)/],
  ['amazon', /^nova/],
  ['minimax', /^minimax/],
]

export function makerOf({ body }: ModelName): string | undefined {
  return makers.find(([, begins]) => begins.test(body))?.[0]
}

const ARN = /^arn:aws[^/]*\//
const VERTEX_PATH = /^projects\/[^/]+\/locations\/[^/]+\//
/** `us.anthropic.claude-…`: Bedrock writes the region and the maker with dots. */
const BEDROCK = /^(?:(us|us-gov|eu|apac|au|jp|ca|global)\.)?(anthropic|amazon)\.(.+)$/
const DATE = /-(20\d\d)-?(0[1-9]|1[0-2])-?(0[1-9]|[12]\d|3[01])$/

/** `nova-pro-v1:0` is nova-pro. The first models of a family have no other name than their version: claude-v1, claude-instant-v1. */
function withoutApiVersion(name: string): string {
  return /^claude(-instant)?-v/.test(name) ? name : name.replace(/-v\d+(:\d+)?$/, '')
}

/** Takes apart how agents and providers write the name of a model. Nothing here makes one model's name that of another. */
export function modelName(name: string): ModelName {
  const route: string[] = []
  // Claude Code's mark for a session with a window of a million tokens; the model is the same.
  let rest = name
    .trim()
    .toLowerCase()
    .replace(/\[1m\]$/, '')
    .replace(VERTEX_PATH, '')
  if (ARN.test(rest)) {
    rest = rest.replace(ARN, '')
    route.push('bedrock')
  }
  for (;;) {
    const slash = rest.indexOf('/')
    const prefix = rest.slice(0, Math.max(0, slash))
    if (!Object.hasOwn(providers, prefix)) break
    const provider = providers[prefix]!
    if (provider !== '') route.push(provider)
    rest = rest.slice(slash + 1)
  }
  const [, region, , model] = BEDROCK.exec(rest) ?? []
  if (model !== undefined) {
    if (region !== undefined && region !== 'global') route.unshift(`bedrock-${region}`)
    route.push('bedrock')
    rest = model
  }
  if (route.some((one) => one.startsWith('bedrock') || one === 'amazon')) rest = withoutApiVersion(rest)
  // Vertex: claude-haiku-4-5@20251001.
  rest = rest.replace(/@default$/, '').replace('@', '-')
  const date = DATE.exec(rest)
  const body = (date ? rest.slice(0, date.index) : rest).replace(/(?<=\d)\.(?=\d)/g, '-')
  return {
    route: [...new Set(route)],
    // Since version 4, Anthropic writes the version last; others did not follow.
    body: body.replace(/^claude-([4-9](?:-\d)?)-(opus|sonnet|haiku)(?=-|$)/, 'claude-$2-$1'),
    date: date ? `${date[1]}${date[2]}${date[3]}` : undefined,
  }
}
