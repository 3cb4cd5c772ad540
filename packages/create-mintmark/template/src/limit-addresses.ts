import { isIPv6 } from 'node:net'
import { toExpressEndpoint } from '@mintmark/adapter-express'
import { createMemoryRateLimiter, type AuthorizationServer } from '@mintmark/core'
import { withHeaders } from '@mintmark/core/http'
import { errorPage } from '@mintmark/pages'
import { epochSeconds } from '@mintmark/storage-interface'
import type { RequestHandler } from 'express'

/**
 * Limits the sign-in attempts of one address, for all user names together. The limit of a hundred in five minutes leaves
 * room for an office that shares an address. Express's setting `trust proxy` determines the address of a request.
 */
export function limitAddresses(server: AuthorizationServer): RequestHandler {
  const attempts = createMemoryRateLimiter({ points: 100, window: 300 })
  const signIn = new URL(`${server.issuer}/login`).pathname

  return async (request, response, next) => {
    if (request.method !== 'POST' || request.path !== signIn) return next()
    const allowance = await attempts.consume(networkOf(request.ip ?? ''), epochSeconds(Date.now() / 1000))
    if (allowance.allowed) return next()
    const wait = ['Retry-After', String(allowance.retryAfter)] as const
    return toExpressEndpoint(server, async (asked) => withHeaders(errorPage(tooMany, asked), [wait]))(
      request,
      response,
      next,
    )
  }
}

const tooMany = {
  status: 429,
  code: 'temporarily_unavailable',
  description: 'Too many sign-ins were tried from your network. Wait a few minutes and try again.',
}

/** An IPv4 address, or the first half of an IPv6 address: one user usually has the whole IPv6 network. */
export function networkOf(address: string): string {
  const [, ipv4] = /^::ffff:([\d.]+)$/i.exec(address) ?? []
  if (ipv4 !== undefined || !isIPv6(address)) return ipv4 ?? address
  const [front = [], back = []] = address.split('::').map((half) => half.split(':').filter((group) => group !== ''))
  const zeros = Array.from({ length: 8 - front.length - back.length }, () => '0')
  return [...front, ...zeros, ...back].slice(0, 4).join(':')
}
