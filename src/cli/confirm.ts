import { createInterface } from 'node:readline/promises'

/** Asks in the terminal. `enter` is what Enter alone means; a closed terminal means no. */
export async function confirm(question: string, enter: 'yes' | 'no' = 'yes'): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await Promise.race([
      lines.question(`${question} ${enter === 'yes' ? '[Y/n]' : '[y/N]'} `),
      new Promise<string>((resolve) => lines.once('close', () => resolve('n'))),
    ])
    return /^(y|yes)$/i.test(answer.trim() || enter)
  } finally {
    lines.close()
  }
}

/** Asks for one of several, each with the key to type. Enter and a closed terminal mean none of them. */
export async function choose(
  question: string,
  choices: readonly { readonly key: string; readonly label: string }[],
): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const closed = new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined)))
    const list = [...choices, { key: 'c', label: 'cancel' }].map(({ key, label }) => `  [${key}] ${label}\n`).join('')
    process.stderr.write(`${question}\n${list}`)
    for (;;) {
      const answer = await Promise.race([lines.question(`${choices.map(({ key }) => key).join('/')}/[c]: `), closed])
      const typed = answer?.trim().toLowerCase() || 'c'
      if (typed === 'c') return undefined
      const chosen = choices.find(({ key }) => key === typed)
      if (chosen) return chosen.key
    }
  } finally {
    lines.close()
  }
}
