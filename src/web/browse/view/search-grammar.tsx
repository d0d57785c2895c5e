import type { JSX } from 'preact'

/** The grammar of `ion search`: docs/search.md has all of it. */
const examples: readonly (readonly [query: string, finds: string])[] = [
  ['login redirect', 'both in the same message, in any order'],
  ['"exit code 137"', 'exactly this text'],
  ['login OR "sign in"', 'one of the two'],
  ['refund -webhook', 'the first without the second'],
  ['/time ?out \\d+/', 'a regular expression'],
  ['role:user migration', 'only your own prompts; also assistant, thinking, tool'],
  ['file:src/cart.ts', 'tool calls with this path'],
  ['tool:Bash deploy', 'only calls of this tool'],
]

export function SearchGrammar(): JSX.Element {
  return (
    <dl class="grammar">
      {examples.map(([query, finds]) => [
        <dt key={query}>
          <code>{query}</code>
        </dt>,
        <dd key={`${query}.`}>{finds}</dd>,
      ])}
    </dl>
  )
}
