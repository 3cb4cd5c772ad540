import { htmlDocument, html, type Markup } from '../site/html.ts'
import type { Problem, SignInResult } from './sign-in-flow.ts'
import type { WebSession } from './web-sessions.ts'

/** Renders the page of the client: a sign-in form, or the result of a sign-in. */
export function webPage({ signIn, problem }: WebSession): string {
  return htmlDocument(
    'Reading Room',
    html`<header>
<p class="eyebrow"><a href="/">Mintmark example</a></p>
<h1>Reading Room</h1>
<p>A confidential client: a web server that has a secret. The server keeps the tokens, and the browser gets only this page.</p>
</header>
${problem && problemNotice(problem)}
${signIn === undefined ? signInForm : tokens(signIn)}`,
  )
}

const problemNotice = ({ code, text }: Problem): Markup => html`<div class="notice" role="alert">
<h2>You are not signed in</h2>
<p><code>${code}</code> ${text}</p>
</div>`

const signInForm = html`<form method="post" action="/web/sign-in">
<fieldset>
<legend>What the app asks for</legend>
<label class="row"><input type="checkbox" checked disabled><span>Who you are, and your name</span></label>
<label class="row"><input type="checkbox" name="scope" value="email"><span>Your email address too</span></label>
<label class="row"><input type="checkbox" name="scope" value="offline_access"><span>To stay connected: a refresh token</span></label>
</fieldset>
<fieldset>
<legend>How the server returns the response</legend>
<label class="row"><input type="checkbox" name="response_mode" value="form_post"><span>As a posted form, not in the address</span></label>
</fieldset>
<div class="actions"><button class="primary" type="submit">Sign in</button></div>
</form>`

const tokens = ({
  user,
  idToken,
  accessToken,
  refreshToken,
}: SignInResult): Markup => html`<section aria-labelledby="hello">
<h2 id="hello">Signed in as ${user.name ?? user.sub}</h2>
<h3>What userinfo says about you</h3>
<pre id="userinfo" tabindex="0">${readable(user)}</pre>
<h3>The ID token, verified (for the app)</h3>
<pre id="id-token" tabindex="0">${readable(idToken)}</pre>
<h3>The access token, decoded (for an API; a real app does not read it)</h3>
<pre id="access-token" tabindex="0">${readable(payloadOf(accessToken))}</pre>
<h3>The refresh token</h3>
<p>${refreshToken === undefined ? 'The app has none, because it did not ask to stay connected.' : 'The app has one, and does not show it. Each use replaces it.'}</p>
<div class="actions">
${refreshToken && html`<form method="post" action="/web/refresh"><button class="primary" type="submit">Refresh</button></form>`}
<form method="post" action="/web/sign-out"><button type="submit">Leave this app</button></form>
<form method="post" action="/web/sign-out-everywhere"><button type="submit">Sign out everywhere</button></form>
</div>
<p class="fine">If you leave this app, its tokens are revoked and you stay signed in at the server. If you sign out everywhere, your
session at the server also ends.</p>
</section>`

/** Returns the claims of a JWT without verifying it: APIs verify access tokens. */
const payloadOf = (jwt: string): unknown => JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())

const readable = (value: unknown): string => JSON.stringify(value, undefined, 2)
