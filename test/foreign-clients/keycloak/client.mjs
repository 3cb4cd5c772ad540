// Keycloak as a broker: its users sign in at Mintmark, which is an identity provider of its realm.
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const { ISSUER, CLIENT_ID, CLIENT_SECRET, OUTPUT, PORT } = process.env
const origin = `http://localhost:${PORT}`
const callback = `${origin}/callback`
const metadata = await (await fetch(`${ISSUER}/.well-known/openid-configuration`)).json()
const home = join(OUTPUT, 'dist', readdirSync(join(OUTPUT, 'dist'))[0])
mkdirSync(join(home, 'data/import'), { recursive: true })
writeFileSync(
  join(home, 'data/import/broker.json'),
  JSON.stringify({
    realm: 'broker',
    enabled: true,
    // Allows plain http, which this program uses only on the loopback interface.
    sslRequired: 'none',
    clients: [{ clientId: 'app', publicClient: true, redirectUris: [callback] }],
    identityProviders: [
      {
        alias: 'mintmark',
        providerId: 'oidc',
        enabled: true,
        // The settings that Keycloak's console would import from the metadata.
        config: {
          issuer: metadata.issuer,
          authorizationUrl: metadata.authorization_endpoint,
          tokenUrl: metadata.token_endpoint,
          userInfoUrl: metadata.userinfo_endpoint,
          jwksUrl: metadata.jwks_uri,
          useJwksUrl: 'true',
          validateSignature: 'true',
          clientAuthMethod: 'client_secret_post',
          clientId: CLIENT_ID,
          clientSecret: CLIENT_SECRET,
          defaultScope: 'openid profile email',
        },
      },
    ],
  }),
)

// In memory, because a file would keep the realm of an earlier run.
const database = '--db=dev-mem'
const keycloak = spawn(
  'bash',
  [join(home, 'bin/kc.sh'), 'start-dev', '--import-realm', `--http-port=${PORT}`, database],
  {
    stdio: ['ignore', 'pipe', 'inherit'],
  },
)
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
for await (const line of createInterface({ input: keycloak.stdout })) {
  console.error(line)
  if (line.includes('Listening on:')) break
}

const query = new URLSearchParams({
  client_id: 'app',
  redirect_uri: callback,
  response_type: 'code',
  scope: 'openid',
  // Skips Keycloak's own sign-in form.
  kc_idp_hint: 'mintmark',
})
const page = await visit(`${origin}/realms/broker/protocol/openid-connect/auth?${query}`)
const code = new URL(page.url).searchParams.get('code')
report("signs a user in; the ID token's signature, nonce and issuer are valid", code !== null, page)

const body = new URLSearchParams({ grant_type: 'authorization_code', client_id: 'app', redirect_uri: callback, code })
const tokens = await (
  await fetch(`${origin}/realms/broker/protocol/openid-connect/token`, { method: 'POST', body })
).json()
const claims = JSON.parse(Buffer.from(tokens.id_token?.split('.')[1] ?? 'e30', 'base64url').toString())
const isAnn = claims.given_name === 'Ann' && claims.family_name === 'Lee' && claims.email === 'ann@example.test'
report('creates its own user with the names and the email address', isAnn, page)
keycloak.kill()
// Open standard input would keep the process running.
process.exit()

async function visit(url) {
  console.log(`visit ${url}`)
  return JSON.parse((await lines.next()).value)
}

function report(title, isAsExpected, { url, status }) {
  console.log(isAsExpected ? `passed ${title}` : `failed ${title}: ${status} ${url}`)
}
