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
  // First, because the message says that Ctrl-C stops the example.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void example.close())
  console.log(welcome(example))
} catch (error) {
  if (!isPortTaken(error)) throw error
  console.error(
    `Port ${port} is in use. Stop the program that uses it, or choose another port: PORT=${port + 1} npx -y pnpm@12.21.0 dev`,
  )
  process.exitCode = 1
}

function welcome({ url, isFirstRun, provider }: RunningExample): string {
  const relativeFolder = relative(process.cwd(), dataFolder)
  const folder = relativeFolder.startsWith('..') ? dataFolder : relativeFolder
  const users = demoUsers.map(({ username, password }) => `${username} / ${password}`).join(', ')
  const data = isFirstRun
    ? `First run. The example has created these files in ${folder}:
    users.db         the host's own table: ${demoUsers.length} users with hashed passwords
    mintmark.db      Mintmark's storage: users, clients, grants, sessions, sealed signing keys
    sealing-key      seals the signing keys; only you can read it
    web-client.json  the web client's id and secret; only you can read it
    books-api.json   the API's id and secret, with which it reads the revocation feed; only you can read it
    identity-provider.json  the directory's SCIM Tenant URL and Secret Token; only you can read it`
    : `The example uses the data of an earlier run in ${folder}. Remove the folder to start again.`

  return `
  Mintmark is running. Open      ${url}
  Sign in (name / password) as   ${users}

  Try it:
    as a user (grace)            ${url}/web/shelf is an app that calls an API. It is green
    as the administrator (ada)   ${url}/console in a second window: deactivate Grace, and the app turns red
    as a directory               Okta, Entra and others provision users with these values:
      SCIM Tenant URL            ${provider.tenantUrl}
      Secret Token               ${provider.secret}
      The accounts are listed at ${url}/provisioned

  ${data}

  Ctrl-C stops it. Events are printed below.
`
}

function isPortTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
}
