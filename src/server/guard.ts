import { createHash, timingSafeEqual } from 'node:crypto'
import type { Context, MiddlewareHandler } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import { isPagePath } from './page.ts'
import { problem } from './problem.ts'

export interface GuardOptions {
  /** Host names without ports; `*` allows any. */
  readonly allowedHosts: readonly string[]
  /** `*` allows any. */
  readonly allowedOrigins: readonly string[]
  /** Undefined: none is required. */
  readonly token: string | undefined
  /** Part of the cookie's name: cookies ignore ports, and two servers on one machine must not share one. */
  readonly port: number
  /** Without a trailing slash; empty for the root. */
  readonly chatBasePath: string
}

const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS']
const HEADERS = ['accept', 'authorization', 'content-type', 'last-event-id', 'x-csrf-token']

/** Against DNS rebinding: a foreign page can point its own name at this machine, but cannot send an allowed Host header. */
export function hostGuard({ allowedHosts }: Pick<GuardOptions, 'allowedHosts'>): MiddlewareHandler {
  const allowed = new Set(allowedHosts.map((host) => bare(host.toLowerCase())))
  return async (context, next) => {
    if (!allowed.has('*') && !allowed.has(hostName(context.req.header('host')))) {
      const text = `Invalid host header. Allowed hosts: ${[...allowed].join(', ')}\n`
      return context.text(text, 400, { 'x-content-type-options': 'nosniff' })
    }
    await next()
    return undefined
  }
}

/** CORS for the allowed origins; pages of any other cannot write. `hint` says how to allow one. */
export function originGuard(
  options: Pick<GuardOptions, 'allowedOrigins'>,
  hint = ' (--allowed-origins)',
): MiddlewareHandler {
  return async (context, next) => {
    const origin = context.req.header('origin')
    const isAllowed = origin !== undefined && (isListed(origin, options) || isOwn(origin, context))
    context.header('vary', 'Origin')
    if (isAllowed && !isOwn(origin, context)) {
      context.header('access-control-allow-origin', origin)
      context.header('access-control-allow-credentials', 'true')
      context.header('access-control-expose-headers', 'Link')
    }
    if (context.req.method === 'OPTIONS') return preflight(context, isAllowed)
    if (isWrite(context) && (origin === undefined ? isCrossSite(context) : !isAllowed)) {
      return problem(context, 403, `pages of ${origin ?? 'other sites'} may not use this server${hint}`)
    }
    await next()
    return undefined
  }
}

/** Other users of this machine reach the port too. The token comes in a header, or in the cookie that the printed address sets. */
export function tokenGuard(options: GuardOptions): MiddlewareHandler {
  const { token, port, chatBasePath } = options
  const cookie = `ion_token_${port}`
  return async (context, next) => {
    if (token === undefined) {
      await next()
      return undefined
    }
    const given = context.req.query('token')
    const { path } = context.req
    const isPage = isPagePath(path, chatBasePath)
    if (given !== undefined && context.req.method === 'GET' && isPage) {
      if (!isSameSecret(given, token)) return problem(context, 401, 'this token is not valid for this server')
      setCookie(context, cookie, token, { httpOnly: true, sameSite: 'Strict', path: '/' })
      const rest = new URLSearchParams(context.req.query())
      rest.delete('token')
      return context.redirect(rest.size > 0 ? `${path}?${rest}` : path, 302)
    }
    // The page's own files are the same for everybody, and the page then says what is missing.
    if (!isPage || isWrite(context)) {
      const bearer = /^Bearer\s+(\S+)$/i.exec(context.req.header('authorization') ?? '')?.[1]
      const found = [bearer, getCookie(context, cookie)].some((one) => one !== undefined && isSameSecret(one, token))
      if (!found) {
        context.header('www-authenticate', 'Bearer')
        const how = 'open the address that ion serve printed, or send "Authorization: Bearer <token>"'
        return problem(context, 401, `a token is required: ${how}`)
      }
    }
    await next()
    return undefined
  }
}

export function isWrite({ req }: Context): boolean {
  return req.method !== 'GET' && req.method !== 'HEAD' && req.method !== 'OPTIONS'
}

function isListed(origin: string, { allowedOrigins }: Pick<GuardOptions, 'allowedOrigins'>): boolean {
  return allowedOrigins.includes('*') || allowedOrigins.includes(origin.toLowerCase())
}

/** The page of this server itself. The Host header was checked before; a proxy in front may add TLS. */
function isOwn(origin: string, { req }: Context): boolean {
  const host = req.header('host')?.toLowerCase()
  return host !== undefined && [`http://${host}`, `https://${host}`].includes(origin.toLowerCase())
}

/** A browser that sends no Origin header still sends this one. */
function isCrossSite({ req }: Context): boolean {
  const site = req.header('sec-fetch-site')
  return site === 'cross-site' || site === 'same-site'
}

function preflight(context: Context, isAllowed: boolean): Response {
  const method = context.req.header('access-control-request-method')
  if (isAllowed && method && METHODS.includes(method.toUpperCase())) {
    const requested = (context.req.header('access-control-request-headers') ?? '').toLowerCase().split(/[\s,]+/)
    const headers = requested.filter((name) => HEADERS.includes(name))
    context.header('access-control-allow-methods', method.toUpperCase())
    if (headers.length > 0) context.header('access-control-allow-headers', headers.join(', '))
    context.header('access-control-max-age', '300')
  }
  return context.body(null, 200)
}

export function isSameSecret(given: string, token: string): boolean {
  const [a, b] = [given, token].map((text) => createHash('sha256').update(text).digest())
  return timingSafeEqual(a!, b!)
}

/** `localhost` of `localhost:3284`, `::1` of `[::1]:3284`. */
function hostName(header: string | undefined): string {
  const found = /^(?:\[([0-9a-f:.]+)\]|([^:\s/@]+))(?::\d+)?$/i.exec(header ?? '')
  return (found?.[1] ?? found?.[2] ?? '').toLowerCase()
}

function bare(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1')
}
