/** A finding of one of secretlint's rules. */
export interface Reported {
  readonly rule: string
  readonly secret: string
  readonly contextual: boolean
}

export type Scan = (text: string) => Reported[]

/** secretlint's names mapped to ours; a rule added by a later version keeps its own name. */
const names: Readonly<Record<string, string>> = {
  AWSSecretAccessKey: 'aws-secret',
  '1password': '1password-token',
  anthropic: 'anthropic-key',
  basicauth: 'basic-auth',
  'database-connection-string': 'database-url',
  github: 'github-token',
  linear: 'linear-key',
  npm: 'npm-token',
  openai: 'openai-key',
  privatekey: 'private-key',
  sendgrid: 'sendgrid-key',
  shopify: 'shopify-key',
  slack: 'slack-token',
}

/**
 * secretlint's recommended rules as one function. They are run without @secretlint/core, which keeps a mark of every
 * run in memory for as long as the process lives. The rule that obeys `secretlint-disable` comments is left out: a
 * transcript must not decide what is masked in it.
 */
export async function loadSecretlint(): Promise<Scan> {
  const { rules } = await import('@secretlint/secretlint-rule-preset-recommend')
  let reported: Reported[] = []
  const scanners = rules.flatMap((rule) => {
    const name = rule.meta.id.replace('@secretlint/secretlint-rule-', '')
    if (name === 'filter-comments') return []
    const { file } = rule.create(
      {
        sharedOptions: {},
        createTranslator: () => (messageId, data) => ({ message: '', messageId: String(messageId), data: data ?? {} }),
        report: ({ message }) => {
          const id = names[message.messageId] ?? names[name] ?? name
          // The text itself: the range of some rules does not reach to its end.
          for (const value of Object.values(message.data as Record<string, unknown>)) {
            if (typeof value !== 'string' || isTypeName(value)) continue
            const secret = id === 'database-url' ? value.replace(TRAILING, '') : value
            if (secret.length >= 8) reported.push({ rule: id, secret, contextual: id === 'aws-secret' })
          }
        },
        ignore: () => {},
      },
      {},
    )
    return file ? [file] : []
  })
  return (text) => {
    reported = []
    const source = sourceOf(text)
    for (const scan of scanners) scan(source)
    return reported
  }
}

/** URLs are reported with the quote that follows them. */
const TRAILING = /["'`)\]},;>.]+$/

/** The rule for GitHub reports the kind of the token beside it. */
function isTypeName(data: string): boolean {
  return data.includes(' ') && data.endsWith('tokens')
}

type Source = Parameters<
  NonNullable<
    ReturnType<typeof import('@secretlint/secretlint-rule-preset-recommend')['rules'][number]['create']>['file']
  >
>[0]

/** No rule of the preset asks for more than this; one that did would fail in the tests, not pass silently. */
function sourceOf(content: string): Source {
  return { content, contentType: 'text', ext: '', filePath: undefined, hasBOM: false } as unknown as Source
}
