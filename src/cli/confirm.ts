import { createInterface } from 'node:readline/promises'

/** A question in the terminal. Just Enter is yes, unless it is said otherwise; a closed terminal is no. */
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
