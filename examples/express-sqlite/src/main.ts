import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

import type { Logger } from '@mintmark/core/http'

import { demoUsers } from './demo-users.ts'
import { startExample, type RunningExample } from './start.ts'

const port = Number(process.env['PORT'] ?? 3000)
const dataFolder = process.env['MINTMARK_DATA'] ?? fileURLToPath(new URL('../data', import.meta.url))

/** Prints one line for each event. Internal failures are printed with their cause. */
const logger: Logger = {
  info: (_fields, message) => console.log(`  ${message}`),
  warn: (_fields, message) => console.warn(`  ${message}`),
  error: (fields, message) => console.error(`  ${message}`, fields),
}

try {
  const example = await startExample({ port, dataFolder, logger })
  console.log(welcome(example))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void example.close())
} catch (error) {
  if (!isPortTaken(error)) throw error
  console.error(`Port ${port} is taken. Stop what uses it, or take another: PORT=${port + 1} npx -y pnpm@12.21.0 dev`)
  process.exitCode = 1
}

function welcome({ url, isFirstRun, provider }: RunningExample): string {
  const fromHere = relative(process.cwd(), dataFolder)
  const folder = fromHere.startsWith('..') ? dataFolder : fromHere
  const users = demoUsers.map(({ username, password }) => `${username} / ${password}`).join(', ')
  const data = isFirstRun
    ? `First run, created in ${folder}:
    users.db        the host's own table: ${demoUsers.length} users with hashed passwords
    mintmark.db      Mintmark's storage: accounts, clients, consents, sessions, sealed signing keys
    sealing-key      seals the signing keys; only you can read it
    web-client.json  the web client's id and secret; only you can read it
    identity-provider.json  the directory's SCIM Tenant URL and Secret Token; only you can read it`
    : `Data from before: ${folder} (remove the folder to start afresh)`

  return `
  Mintmark is running. Open      ${url}
  Sign in (name / password) as   ${users}

  Administer it, as ada, at      ${url}/admin

  To provision accounts from a directory such as Okta or Entra, paste there
    SCIM Tenant URL              ${provider.tenantUrl}
    Secret Token                 ${provider.secret}
  and see them appear at         ${url}/provisioned

  ${data}

  Ctrl-C stops it. What happens appears below.
`
}

function isPortTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
}
