// nginx in front of the server: it terminates TLS, requests certificates and forwards them, as
// docs/how-to/mtls-behind-a-proxy.md describes.
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'

const { ISSUER, PORT, OUTPUT, CERTIFICATES } = process.env
const { authority, server, trusted, foreign } = JSON.parse(CERTIFICATES)
const root = join(OUTPUT, 'nginx')
mkdirSync(root, { recursive: true })
for (const [name, text] of Object.entries({
  'authority.crt': authority.certificate,
  'server.crt': server.certificate,
  'server.key': server.privateKey,
}))
  writeFileSync(join(root, name), text)
const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
writeFileSync(
  join(root, 'nginx.conf'),
  `
daemon off;
master_process off;
pid ${root}/nginx.pid;
error_log ${root}/error.log;
events {}
http {
  access_log off;
  ${temporary.map((name) => `${name}_temp_path ${root}/${name};`).join('\n  ')}
  server {
    listen 127.0.0.1:${PORT} ssl;
    server_name localhost;
    ssl_certificate ${root}/server.crt;
    ssl_certificate_key ${root}/server.key;
    ssl_client_certificate ${root}/authority.crt;
    ssl_verify_client optional_no_ca;
    location / {
      proxy_pass ${ISSUER};
      proxy_set_header ssl-client-cert $ssl_client_escaped_cert;
      proxy_set_header ssl-client-verify $ssl_client_verify;
    }
  }
}
`,
)

const nginx = spawn('nginx', ['-p', root, '-e', join(root, 'error.log'), '-c', join(root, 'nginx.conf')], {
  stdio: 'inherit',
})
try {
  await waitUntilItListens()
  console.log(`version ${execFileSync('dpkg-query', ['-W', '-f', '${Version}', 'nginx'], { encoding: 'utf8' })}`)

  const bound = await requestToken(trusted)
  const { cnf } = payloadOf(bound.body.access_token)
  const isBound = bound.status === 200 && cnf?.['x5t#S256'] === trusted.thumbprint
  report('forwards the certificate: the client authenticates, and its token is bound to it', isBound, bound)

  const unknown = await requestToken(foreign)
  report(
    'reports that another authority has issued the certificate, and the server refuses the client',
    isRefused(unknown),
    unknown,
  )

  const none = await requestToken(undefined)
  report(
    'forwards no certificate for a connection without one, and the server refuses the client',
    isRefused(none),
    none,
  )

  const forgery = { 'ssl-client-cert': encodeURIComponent(trusted.certificate), 'ssl-client-verify': 'SUCCESS' }
  const forged = await requestToken(undefined, forgery)
  const forgedWithForeign = await requestToken(foreign, forgery)
  report('overwrites forged headers from outside', isRefused(forged) && isRefused(forgedWithForeign), forged)
} finally {
  nginx.kill()
  console.error(readFileSync(join(root, 'error.log'), 'utf8'))
}

function requestToken(certificate, headers = {}) {
  const body = 'client_id=billing&grant_type=client_credentials&scope=api.read'
  return new Promise((resolve, reject) => {
    const outgoing = request(
      `https://localhost:${PORT}/token`,
      {
        method: 'POST',
        agent: false,
        lookup: (_name, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
        headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded', 'content-length': body.length },
        ca: authority.certificate,
        ...(certificate && { cert: certificate.certificate, key: certificate.privateKey }),
      },
      (reply) => {
        readText(reply).then((text) => resolve({ status: reply.statusCode, text, body: parsed(text) }), reject)
      },
    )
    outgoing.on('error', reject).end(body)
  })
}

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
  throw new Error('nginx did not start to listen.')
}

function isRefused({ status, body }) {
  return status === 401 && body.error === 'invalid_client'
}

function report(title, isAsExpected, { status, text }) {
  console.log(isAsExpected ? `passed ${title}` : `failed ${title}: ${status} ${text}`)
}

function payloadOf(token = '') {
  return parsed(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
}

function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    // The response is an error page.
    return {}
  }
}
