import { createInterface } from 'node:readline/promises'

/** A question in the terminal. Just Enter is yes; a closed terminal is no. */
export async function askYes(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await Promise.race([
      lines.question(`${question} [Y/n] `),
      new Promise<string>((resolve) => lines.once('close', () => resolve('n'))),
    ])
    return /^(y|yes|)$/i.test(answer.trim())
  } finally {
    lines.close()
  }
}
