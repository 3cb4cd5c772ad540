import { isIPv6 } from 'node:net'
import { toExpressEndpoint } from '@mintmark/adapter-express'
import { createMemoryRateLimiter, type AuthorizationServer } from '@mintmark/core'
import { withHeaders } from '@mintmark/core/http'
import { errorPage } from '@mintmark/pages'
import { epochSeconds } from '@mintmark/storage-interface'
import type { RequestHandler } from 'express'

/**
 * Holds up an address from which very many sign-ins are tried, under whatever names. An office behind one address has room:
 * a hundred in five minutes. What Express calls the address depends on its setting `trust proxy`.
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

/** An IPv4 address, or the first half of an IPv6 address: whoever has one of that network's addresses has them all. */
export function networkOf(address: string): string {
  const [, ipv4] = /^::ffff:([\d.]+)$/i.exec(address) ?? []
  if (ipv4 !== undefined || !isIPv6(address)) return ipv4 ?? address
  const [front = [], back = []] = address.split('::').map((half) => half.split(':').filter((group) => group !== ''))
  const zeros = Array.from({ length: 8 - front.length - back.length }, () => '0')
  return [...front, ...zeros, ...back].slice(0, 4).join(':')
}
