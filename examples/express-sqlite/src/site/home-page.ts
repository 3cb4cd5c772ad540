import { demoUsers } from '../demo-users.ts'
import type { User } from '../starter.ts'
import { htmlDocument, html } from './html.ts'

/** Renders the home page: the apps, and the users to sign in as. */
export function homePage(signedInUser: User | undefined): string {
  return htmlDocument(
    'Mintmark example',
    html`<header>
<p class="eyebrow">Mintmark example</p>
<h1>Sign in to two apps with one account</h1>
<p>This Express server keeps its own users and passwords in SQLite. Mintmark is mounted in the server, and makes it an OAuth 2.0
and OpenID Connect provider. Both apps below sign users in with this provider and show the tokens that they get.</p>
</header>
${signedInUser && signedInStatus(signedInUser)}
<section aria-labelledby="kill-switch">
<h2 id="kill-switch">See the kill switch</h2>
<ol class="plain">
<li><a href="/web/shelf">Open a page that calls an API</a>, and sign in as <code>grace</code>. It is green.</li>
<li>In a second window, open <a href="/console">the console</a> as <code>ada</code>, and deactivate Grace.</li>
<li>The first window turns red within a second, although the access token has not expired.</li>
</ol>
</section>
<section aria-labelledby="apps">
<h2 id="apps">The apps</h2>
<ul class="choices">
<li><a href="/spa/"><strong>Pocket Notes</strong>
<span>A public client: a single page with a script. It uses the authorization code with PKCE, and keeps tokens in memory.</span></a></li>
<li><a href="/web/"><strong>Reading Room</strong>
<span>A confidential client: a web server with a secret. It uses the openid-client library, and can get refresh tokens.</span></a></li>
</ul>
</section>
<section aria-labelledby="users">
<h2 id="users">Users to sign in as</h2>
<table>
<thead><tr><th scope="col">Username</th><th scope="col">Password</th><th scope="col">Name</th></tr></thead>
<tbody>${demoUsers.map(
      ({ username, password, givenName, familyName }) =>
        html`<tr><td><code>${username}</code></td><td><code>${password}</code></td><td>${givenName} ${familyName}</td></tr>`,
    )}</tbody>
</table>
</section>
<section aria-labelledby="more">
<h2 id="more">For other programs</h2>
<ul class="plain">
<li><a href="/console">Administration</a>, for <code>ada</code></li>
<li><a href="/provisioned">Accounts that a directory provisions</a> over SCIM 2.0</li>
<li><a href="/.well-known/openid-configuration">The server's metadata</a>, with which clients configure themselves</li>
<li><a href="/jwks">The server's public keys</a>, with which APIs and clients verify tokens</li>
</ul>
</section>`,
  )
}

const signedInStatus = (user: User) => html`<form class="status" method="post" action="/sign-out">
<p>Signed in here as <strong>${user.givenName} ${user.familyName}</strong> (<a href="/passkeys">passkeys</a>)</p>
<button type="submit">Sign out</button>
</form>`
