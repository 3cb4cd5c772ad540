import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

import type { CookieSessions } from '@mintmark/core'
import {
  defineCookie,
  redirect,
  type Endpoint,
  type Header,
  type ServerRequest,
  type ServerResponse,
} from '@mintmark/core/http'

import { basePath, type Fetch } from '#site'
import type { SignInUsers } from '#user'

interface TryIt {
  readonly issuer: string
  /** The secret TRY_KEY of .env; empty for none. */
  readonly key: string
  readonly sessions: CookieSessions
  readonly users: SignInUsers
  readonly fetch?: Fetch | undefined
}

/**
 * A client in one file, to see a sign-in and its tokens. `/try` starts the sign-in, `/try/callback` receives it, and
 * `/try?show=token` shows the tokens. On this machine, the secret `key` in the link signs you in as `ann` without a password.
 * Remove this file, its line in create-site.ts and the client `try-it` before you go live.
 */
export function createTryIt(tryIt: TryIt): Readonly<Record<string, Endpoint>> {
  const { issuer, fetch = globalThis.fetch } = tryIt
  const base = basePath(issuer)
  const callback = `${issuer}/try/callback`
  // The browser keeps the state and the verifier until the response arrives.
  const cookie = defineCookie(issuer, 'try-it')

  const start: Endpoint = async (request) => {
    const [state, verifier] = [randomText(), randomText()]
    const query = new URLSearchParams({
      client_id: 'try-it',
      response_type: 'code',
      redirect_uri: callback,
      scope: 'openid profile email',
      state,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    })
    const show = request.url.searchParams.get('show') === 'token' ? 'token' : 'user'
    const signedIn = await signInByLink(tryIt, request)
    return redirect(`${issuer}/auth?${query.toString()}`, [cookie.set(`${state}.${verifier}.${show}`), ...signedIn])
  }

  const finish: Endpoint = async (request) => {
    const [state = '', verifier = '', show] = cookie.read(request)?.split('.') ?? []
    const { searchParams: query } = request.url
    const respond = (status: number, title: string, content: string): ServerResponse =>
      page({ status, title, content, base, headers: [cookie.clear()] })
    // RFC 6749 §10.12: a response with another state belongs to another sign-in.
    if (state === '' || query.get('state') !== state) return respond(400, 'Start again', '')
    const code = query.get('code')
    if (code === null) return respond(200, 'You did not sign in', pre(query.get('error')))

    const body = new URLSearchParams({
      client_id: 'try-it',
      grant_type: 'authorization_code',
      redirect_uri: callback,
      code,
      code_verifier: verifier,
    })
    const answer = await fetch(`${issuer}/token`, { method: 'POST', body })
    const tokens = (await answer.json()) as Readonly<Record<string, string>>
    if (!answer.ok) return respond(502, 'No tokens', pre(tokens))
    const idToken = claimsOf(tokens['id_token'])
    return show === 'token'
      ? respond(200, 'The tokens', `<p>As the client received them:</p>${pre(tokens)}`)
      : respond(
          200,
          `Signed in as ${String(idToken['name'] ?? idToken['sub'])}`,
          `<h2>The ID token, for the client</h2>${pre(idToken)}
<h2>The access token, for an API</h2>${pre(claimsOf(tokens['access_token']))}
<p><a href="${base}/try?show=token">Show the tokens as the client receives them</a></p>`,
        )
  }

  return { [`${base}/try`]: start, [`${base}/try/callback`]: finish }
}

/** Signs `ann` in if the link contains the secret, and the server is on this machine. */
async function signInByLink(
  { issuer, key, sessions, users }: TryIt,
  request: ServerRequest,
): Promise<readonly Header[]> {
  const given = request.url.searchParams.get('key')
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(new URL(issuer).hostname)
  if (given === null || key === '' || !isLocal || !timingSafeEqual(digest(given), digest(key))) return []
  const user = await users.findByName('ann')
  if (user === undefined) return []
  return (await sessions.start(request, { subject: user.subject })).headers
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

const randomText = (): string => randomBytes(32).toString('base64url')

/** Returns the claims of a token that came directly from the server (OIDC Core §3.1.3.7, item 6). */
const claimsOf = (jwt = ''): Readonly<Record<string, unknown>> =>
  JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()) as Readonly<Record<string, unknown>>

const pre = (value: unknown): string => `<pre>${escape(JSON.stringify(value, undefined, 2))}</pre>`

interface Page {
  readonly status: number
  readonly title: string
  readonly content: string
  readonly base: string
  readonly headers: readonly Header[]
}

const page = ({ status, title, content, base, headers }: Page): ServerResponse => ({
  status,
  headers: [['Content-Type', 'text/html; charset=utf-8'], ['Cache-Control', 'no-store'], ...headers],
  body: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escape(title)}</title>
<style>body { font: 1rem/1.5 system-ui; max-width: 44rem; margin: 3rem auto; padding: 0 1rem } pre { white-space: pre-wrap; overflow-wrap: anywhere; background: #8881; padding: 1rem }</style>
<h1>${escape(title)}</h1>
${content}
<p><a href="${base}/try">Sign in again</a></p>
</html>
`,
})

const escape = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
