import { answerInteraction, encode, signedInAs } from './flow.ts'
import type { Reply } from './send.ts'
import type { ReachableServer } from './server-under-test.ts'

/**
 * Opens an authorization URL as the browser of a signed-in user who consents to everything.
 * @returns the response that sends the browser back to the client.
 */
export async function visit(site: ReachableServer, url: URL, user = 'U1'): Promise<Reply> {
  const cookie = signedInAs(site, user)
  const first = await site.send({ path: url.pathname + url.search, headers: { cookie } })
  return isInteraction(site, first) ? consent(site, first) : first
}

/** Consents to every scope value that a pending interaction requests. */
export async function consent(site: ReachableServer, started: Reply): Promise<Reply> {
  const { pathname, search } = started.location
  const cookie = started.cookies.map((value) => value.split(';', 1)[0]).join('; ')
  const page = await site.send({ path: pathname + search, headers: { cookie } })
  const scopes = page.json['scopes'] as readonly { readonly name: string }[]
  return answerInteraction(site, started, scopes.map(({ name }) => encode({ scope: name })).join('&'))
}

/** Tells whether the response sends the browser to the host's login or consent page. */
export const isInteraction = (site: ReachableServer, reply: Reply): boolean =>
  reply.header('location')?.startsWith(`${site.issuer}/`) === true && reply.location.searchParams.has('interaction')

/** Returns the parameters that a `form_post` page posts to the client (OAuth 2.0 Form Post Response Mode §2). */
export function postedParameters(page: Pick<Reply, 'text'>): URLSearchParams {
  const fields = [...page.text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)]
  return new URLSearchParams(fields.map(([, name = '', value = '']) => [unescape(name), unescape(value)]))
}

const unescape = (text: string): string =>
  text.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
