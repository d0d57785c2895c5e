/** One thing that was looked at. `fix` says what to type or change; it is there for every verdict but `ok`. */
export interface Check {
  readonly name: string
  readonly agent: string | null
  readonly verdict: 'ok' | 'warn' | 'bad'
  readonly detail: string
  readonly fix?: string
}

export const ok = (name: string, detail: string, agent: string | null = null): Check => ({
  name,
  agent,
  verdict: 'ok',
  detail,
})

export const warn = (name: string, detail: string, fix: string, agent: string | null = null): Check => ({
  name,
  agent,
  verdict: 'warn',
  detail,
  fix,
})

export const bad = (name: string, detail: string, fix: string, agent: string | null = null): Check => ({
  name,
  agent,
  verdict: 'bad',
  detail,
  fix,
})
