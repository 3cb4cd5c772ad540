// Apache with mod_auth_openidc in front of a page, configured as its documentation shows.
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const { ISSUER, CLIENT_ID, CLIENT_SECRET, REDIRECT_URI, PORT, OUTPUT } = process.env
const root = join(OUTPUT, 'apache')
mkdirSync(join(root, 'htdocs'), { recursive: true })
writeFileSync(join(root, 'htdocs/index.html'), 'the protected page')
const modules = ['mpm_event', 'authn_core', 'authz_core', 'authz_user', 'dir', 'auth_openidc']
writeFileSync(
  join(root, 'apache.conf'),
  `
ServerRoot ${root}
ServerName localhost
Listen 127.0.0.1:${PORT}
PidFile ${root}/apache.pid
ErrorLog ${root}/error.log
DefaultRuntimeDir ${root}
${modules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join('\n')}
${process.getuid() === 0 ? 'User www-data\nGroup www-data' : ''}
DocumentRoot ${root}/htdocs
DirectoryIndex index.html
OIDCProviderMetadataURL ${ISSUER}/.well-known/openid-configuration
OIDCClientID ${CLIENT_ID}
OIDCClientSecret ${CLIENT_SECRET}
OIDCRedirectURI ${REDIRECT_URI}
OIDCCryptoPassphrase only-for-this-run
OIDCScope "openid profile offline_access"
OIDCInfoHook id_token userinfo access_token refresh_token
<Location />
  AuthType openid-connect
  Require valid-user
</Location>
`,
)
// Apache's workers read the page as another user.
execFileSync('chmod', ['-R', 'a+rX', root])

const apache = spawn('apache2', ['-D', 'FOREGROUND', '-f', join(root, 'apache.conf')], { stdio: 'inherit' })
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
try {
  await waitUntilItListens()
  console.log(
    `version ${execFileSync('dpkg-query', ['-W', '-f', '${Version}', 'libapache2-mod-auth-openidc'], { encoding: 'utf8' })}`,
  )

  const page = await visit(`http://localhost:${PORT}/`)
  report("signs a user in; the ID token's signature and nonce are valid", page.text === 'the protected page', page)

  const info = await visit(`${REDIRECT_URI}?info=json`)
  const first = parsed(info)
  report('calls userinfo', first.userinfo?.name === 'Ann Lee' && first.id_token?.sub === 'U1', info)

  const query = new URLSearchParams({ refresh: `http://localhost:${PORT}/`, access_token: first.access_token ?? '' })
  const back = await visit(`${REDIRECT_URI}?${query}`)
  const second = parsed(await visit(`${REDIRECT_URI}?info=json`))
  const isNew = second.refresh_token !== undefined && second.refresh_token !== first.refresh_token
  report('refreshes and gets a new refresh token', isNew, back)

  const sid = first.id_token?.sid ?? ''
  const frame = new URLSearchParams({ logout: 'get', iss: ISSUER, sid })
  await visit(`${REDIRECT_URI}?${frame}`)
  const framed = await visit(`${REDIRECT_URI}?info=json`)
  report('ends its session when the browser loads its front-channel address', !isSignedIn(framed), framed)

  await visit(`http://localhost:${PORT}/`)
  const again = await visit(`${REDIRECT_URI}?info=json`)
  const { delivered } = await ask(`end ${sid}`)
  const ended = await visit(`${REDIRECT_URI}?info=json`)
  const isEnded = isSignedIn(again) && delivered === 1 && !isSignedIn(ended)
  report('ends its session when it gets a logout token through the back channel', isEnded, ended)
} finally {
  apache.kill()
  console.error(readFileSync(join(root, 'error.log'), 'utf8'))
}
// Open standard input would keep the process running.
process.exit()

async function waitUntilItListens() {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const isUp = await new Promise((done) => {
      const socket = connect(Number(PORT), '127.0.0.1', () => done(true))
      socket.on('error', () => done(false))
      socket.unref()
    })
    if (isUp) return
    await new Promise((wake) => setTimeout(wake, 100))
  }
  throw new Error('Apache did not start to listen.')
}

function visit(url) {
  return ask(`visit ${url}`)
}

async function ask(line) {
  console.log(line)
  return JSON.parse((await lines.next()).value)
}

function isSignedIn(info) {
  return parsed(info).id_token?.sub === 'U1'
}

function report(title, isAsExpected, page) {
  console.log(isAsExpected ? `passed ${title}` : `failed ${title}: ${page.status} ${page.url}`)
}

function parsed({ text }) {
  try {
    return JSON.parse(text)
  } catch {
    // The page is an error page.
    return {}
  }
}
