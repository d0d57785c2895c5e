/** One check. `fix` says what to type or change; every verdict except `ok` has one. */
export interface Check {
  readonly name: string
  readonly agent: string | null
  readonly verdict: 'ok' | 'warn' | 'bad'
  readonly detail: string
  readonly fix?: string
  /** For a script: which of the things that may be wrong with a session. */
  readonly code?: string
}

export function ok(name: string, detail: string, agent: string | null = null): Check {
  return { name, agent, verdict: 'ok', detail }
}

const problem =
  (verdict: 'warn' | 'bad') =>
  (name: string, detail: string, fix: string, agent: string | null = null): Check => ({
    name,
    agent,
    verdict,
    detail,
    fix,
  })

export const warn = problem('warn')
export const bad = problem('bad')

const SEVERITY: readonly Check['verdict'][] = ['bad', 'warn', 'ok']

/** Otherwise in the same order. */
export function problemsFirst(checks: readonly Check[]): Check[] {
  return checks.toSorted((a, b) => SEVERITY.indexOf(a.verdict) - SEVERITY.indexOf(b.verdict))
}
