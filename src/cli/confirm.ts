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
