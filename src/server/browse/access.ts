import { randomBytes } from 'node:crypto'
import type { Context, MiddlewareHandler } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import { isSameSecret } from '../guard.ts'
import { problem } from '../problem.ts'

/** More links than anybody opens: the oldest is dropped. */
const MAX_UNUSED = 16

/** Tokens in printed addresses. A browser's history and a terminal's scrollback keep them, so each works once. */
export class OneTimeLinks {
  readonly #unused = new Set<string>()

  issue(): string {
    const token = randomBytes(24).toString('base64url')
    this.#unused.add(token)
    if (this.#unused.size > MAX_UNUSED) this.#unused.delete([...this.#unused][0]!)
    return token
  }

  /** Whether it was issued and not redeemed before. */
  redeem(token: string): boolean {
    const found = [...this.#unused].find((one) => isSameSecret(one, token))
    return found !== undefined && this.#unused.delete(found)
  }
}

export interface AccessOptions {
  readonly links: OneTimeLinks
  /** The value of the cookie; other processes of the user send it as a bearer token. */
  readonly secret: string
  /** Part of the cookie's name: cookies ignore ports. */
  readonly port: number
  /** Whether the path is a page, which a browser opens: it is answered in words, not in JSON. */
  readonly isPage: (path: string) => boolean
  /** The page's own files, which are the same for everybody. */
  readonly isPublic: (path: string) => boolean
}

/** Other users of this machine reach the port too. */
export function accessGuard({ links, secret, port, isPage, isPublic }: AccessOptions): MiddlewareHandler {
  const cookie = `ion_web_${port}`
  const isKnown = (context: Context): boolean => {
    const bearer = /^Bearer\s+(\S+)$/i.exec(context.req.header('authorization') ?? '')?.[1]
    return [bearer, getCookie(context, cookie)].some((one) => one !== undefined && isSameSecret(one, secret))
  }
  return async (context, next) => {
    const { path, method } = context.req
    const token = method === 'GET' && isPage(path) ? context.req.query('token') : undefined
    if (token !== undefined && (links.redeem(token) || isKnown(context))) {
      setCookie(context, cookie, secret, { httpOnly: true, sameSite: 'Strict', path: '/' })
      const rest = new URLSearchParams(context.req.query())
      rest.delete('token')
      return context.redirect(rest.size > 0 ? `${path}?${rest}` : path, 302)
    }
    if (!isPublic(path) && (token !== undefined || !isKnown(context))) {
      if (isPage(path) && method === 'GET') return refusedPage(context, token !== undefined)
      context.header('www-authenticate', 'Bearer')
      return problem(context, 401, 'open a link that "ion web" printed; it prints a new one each time')
    }
    await next()
    return undefined
  }
}

function refusedPage(context: Context, isUsedLink: boolean): Response {
  const why = isUsedLink
    ? 'This link was used before, or belongs to an earlier server. Each link opens the page once.'
    : 'This page shows your sessions, so it opens only with a link from your terminal.'
  return context.text(`${why}\n\nType this in a terminal for a new link:\n\n  ion web\n`, 401, {
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  })
}
