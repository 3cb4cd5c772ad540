import { createHash, randomBytes } from 'node:crypto'

import { Router, type Request, type Response } from 'express'

/**
 * A client in one file, to see a sign-in and its tokens. `/try` starts the sign-in, and `/try/callback` receives it. Remove
 * this file, its line in app.ts and the client `try-it` before you go live.
 */
export function createTryIt(issuer: string): Router {
  const redirectUri = `${issuer}/try/callback`

  const start = (_request: Request, response: Response): void => {
    const [state, verifier] = [randomText(), randomText()]
    const query = new URLSearchParams({
      client_id: 'try-it',
      response_type: 'code',
      redirect_uri: redirectUri,
      scope: 'openid profile email',
      state,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    })
    // The browser keeps both until the response arrives. `lax`, because the response is a navigation.
    response.cookie('try-it', `${state}.${verifier}`, { httpOnly: true, sameSite: 'lax', path: '/try' })
    response.redirect(`${issuer}/auth?${query.toString()}`)
  }

  const finish = async (request: Request, response: Response): Promise<void> => {
    const [state = '', verifier = ''] =
      /(?:^|; )try-it=([\w.-]+)/.exec(request.headers.cookie ?? '')?.[1]?.split('.') ?? []
    response.clearCookie('try-it', { path: '/try' }).set('Cache-Control', 'no-store').type('html')
    const { code, error, state: returned } = request.query
    // RFC 6749 §10.12: a response with another state belongs to another sign-in.
    if (state === '' || returned !== state) return void response.status(400).send(page('Start again', ''))
    if (typeof code !== 'string') return void response.send(page('You did not sign in', pre(error)))

    const body = new URLSearchParams({
      client_id: 'try-it',
      grant_type: 'authorization_code',
      redirect_uri: redirectUri,
      code,
      code_verifier: verifier,
    })
    const answer = await fetch(`${issuer}/token`, { method: 'POST', body })
    const tokens = (await answer.json()) as Readonly<Record<string, string>>
    if (!answer.ok) return void response.status(502).send(page('No tokens', pre(tokens)))
    const idToken = claimsOf(tokens['id_token'])
    response.send(
      page(
        `Signed in as ${String(idToken['name'] ?? idToken['sub'])}`,
        `<h2>The ID token, for the client</h2>${pre(idToken)}
<h2>The access token, for an API</h2>${pre(claimsOf(tokens['access_token']))}
<p>As the client received it:</p>${pre(tokens)}`,
      ),
    )
  }

  return Router().get('/', start).get('/callback', finish)
}

const randomText = (): string => randomBytes(32).toString('base64url')

/** Returns the claims of a token that came directly from the server (OIDC Core §3.1.3.7, item 6). */
const claimsOf = (jwt = ''): Readonly<Record<string, unknown>> =>
  JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()) as Readonly<Record<string, unknown>>

const pre = (value: unknown): string => `<pre>${escape(JSON.stringify(value, undefined, 2))}</pre>`

const page = (title: string, content: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escape(title)}</title>
<style>body { font: 1rem/1.5 system-ui; max-width: 44rem; margin: 3rem auto; padding: 0 1rem } pre { white-space: pre-wrap; overflow-wrap: anywhere; background: #8881; padding: 1rem }</style>
<h1>${escape(title)}</h1>
${content}
<p><a href="/try">Sign in again</a> · <a href="/">Home</a></p>
</html>
`

const escape = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
