import type { JsonObject } from '@mintmark/storage-interface'
import type { ScimStorage } from '@mintmark/storage-interface'

import type { ProviderCredentials } from '../identity-provider.ts'
import { htmlDocument, html, textOf, type Markup } from './html.ts'

type UserList = Awaited<ReturnType<ScimStorage['provisionedUsers']['list']>>
type ListedUser = Extract<UserList, { readonly outcome: 'listed' }>['records'][number]

/** Shows the provisioned users, and commands that provision a user from a terminal. */
export function provisionedPage(list: UserList, provider: ProviderCredentials): string {
  const users = list.outcome === 'listed' ? list.records : []
  return htmlDocument(
    'Provisioned accounts',
    html`<header>
<p class="eyebrow">Mintmark example</p>
<h1>Accounts that a directory provisioned</h1>
<p>Example Corp’s directory creates, changes and deactivates these accounts over SCIM 2.0. When it deactivates a user, the same
request revokes the user’s tokens for both apps.</p>
</header>
<section aria-labelledby="accounts">
<h2 id="accounts">Accounts</h2>
${users.length === 0 ? html`<p>None yet. Create one with the first command below.</p>` : table(users)}
</section>
<section aria-labelledby="connect">
<h2 id="connect">Connect a directory</h2>
<dl>
<dt>SCIM Tenant URL</dt><dd><code>${provider.tenantUrl}</code></dd>
<dt>Secret Token</dt><dd>in the terminal in which you started this example</dd>
</dl>
<p class="fine">Or send the requests of a directory yourself. Put the Secret Token into the variable <code>TOKEN</code>:</p>
<pre tabindex="0">${commands(provider.tenantUrl)}</pre>
<p><a href="/">Back to the apps</a></p>
</section>`,
  )
}

const table = (users: readonly ListedUser[]): Markup => html`<table>
<thead><tr><th scope="col">Name</th><th scope="col">State</th><th scope="col">Groups</th><th scope="col">Id</th></tr></thead>
<tbody>${users.map(
  ({ resource, active, groups = [], userId }) =>
    html`<tr><td>${textOf((JSON.parse(resource) as JsonObject)['userName'])}</td><td>${active ? 'active' : 'deactivated'}</td><td>${groups
      .map(({ displayName }) => displayName)
      .join(', ')}</td><td><code>${userId}</code></td></tr>`,
)}</tbody>
</table>`

const commands = (tenantUrl: string): string => `curl ${tenantUrl}/Users -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/scim+json' -d '{
  "schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "externalId": "1", "userName": "kim", "password": "garden",
  "name": {"givenName": "Kim", "familyName": "Lee"}, "emails": [{"value": "kim@example.org", "primary": true}]}'

curl ${tenantUrl}/Users/ID -X PATCH -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/scim+json' -d '{
  "schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
  "Operations": [{"op": "replace", "path": "active", "value": false}]}'`
