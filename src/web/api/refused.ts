/** An error response of the server, with its message. */
export class Refused extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }

  get needsToken(): boolean {
    return this.status === 401
  }
}

export async function refusal(response: Response): Promise<Refused> {
  const problem = (await response.json().catch(() => ({}))) as {
    readonly detail?: string
    readonly title?: string
    readonly errors?: readonly { readonly message?: string }[]
  }
  const message = problem.errors?.[0]?.message ?? problem.detail ?? problem.title
  return new Refused(response.status, message || `The server answered with ${response.status}.`)
}
