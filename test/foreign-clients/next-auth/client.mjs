// Starts a Next.js application with next-auth and signs in to it.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const { OUTPUT, PORT } = process.env
const origin = `http://localhost:${PORT}`
const next = spawn(process.execPath, [join(OUTPUT, 'node_modules/next/dist/bin/next'), 'dev', '--port', PORT], {
  cwd: OUTPUT,
  stdio: ['ignore', 'pipe', 'inherit'],
  env: { ...process.env, NEXTAUTH_URL: origin, NEXTAUTH_SECRET: 'only for this run', NEXT_TELEMETRY_DISABLED: '1' },
})
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
// Next.js prints this when it listens.
for await (const line of createInterface({ input: next.stdout })) if (line.includes('Ready')) break

const { csrfToken } = JSON.parse((await ask(`visit ${origin}/api/auth/csrf`)).text)
const form = new URLSearchParams({ csrfToken, callbackUrl: `${origin}/api/auth/session` })
const page = await ask(`post ${origin}/api/auth/signin/mintmark ${form}`)
const session = JSON.parse(page.url.endsWith('/api/auth/session') ? page.text : '{}')
report('signs a user in; state and the ID token are valid', session.subject === 'U1', page)
report('gets the profile from the ID token', session.user?.email === 'ann@example.test', page)
const forged = await ask(`visit ${origin}/api/auth/callback/mintmark?code=one&state=another`)
report('rejects a response with another state', forged.url.includes('error=OAuthCallback'), forged)
next.kill()
// Open standard input would keep the process running.
process.exit()

async function ask(line) {
  console.log(line)
  return JSON.parse((await lines.next()).value)
}

function report(title, isAsExpected, { url, status }) {
  console.log(isAsExpected ? `passed ${title}` : `failed ${title}: ${status} ${url}`)
}
