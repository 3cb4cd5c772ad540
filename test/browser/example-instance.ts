import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'

import { seedUsers } from '../../examples/express-sqlite/src/demo-users.ts'
import { startExample } from '../../examples/express-sqlite/src/start.ts'
import { openTables } from '../../packages/create-mintmark/template/databases/sqlite/code/database.ts'
import { openUsers } from '../../packages/create-mintmark/template/users/ours/code/users.ts'
import { quietLogger } from './quiet-logger.ts'

/** A fresh instance of the example on a free port, and browsers to visit it. */
export interface ExampleInstance {
  readonly url: string
  readonly dataFolder: string
  /** The SCIM settings that the example prints for the administrator of a directory. */
  readonly provider: { readonly tenantUrl: string; readonly secret: string }
  /** The events so far, such as `tokens.issued: refresh_token to A`. */
  readonly log: readonly string[]
  /** Opens a browser with its own cookies and one tab. */
  openBrowser(options?: BrowserContextOptions): Promise<Visitor>
  close(): Promise<void>
}

/** One user's browser. */
export interface Visitor {
  readonly context: BrowserContext
  readonly page: Page
  /** The errors in Chromium's console so far: requests blocked by a policy, and script errors. */
  readonly consoleErrors: readonly string[]
}

export async function openExample(browser: Browser): Promise<ExampleInstance> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'mintmark-example-'))
  seededUsers ??= seedOnce()
  await writeFile(join(dataFolder, 'users.db'), await seededUsers)
  const log: string[] = []
  const example = await startExample({ port: 0, dataFolder, logger: quietLogger(log) })
  const contexts: BrowserContext[] = []

  return {
    url: example.url,
    dataFolder,
    provider: example.provider,
    log,
    async openBrowser(options) {
      const visitor = await openVisitor(browser, options)
      contexts.push(visitor.context)
      return visitor
    },
    async close() {
      await Promise.all(contexts.map((context) => context.close()))
      await example.close()
      await rm(dataFolder, { recursive: true })
    },
  }
}

/** @param options `javaScriptEnabled`, `viewport` and similar. */
export async function openVisitor(browser: Browser, options: BrowserContextOptions = {}): Promise<Visitor> {
  const context = await browser.newContext(options)
  const consoleErrors: string[] = []
  context.on('console', (message) => {
    // Chromium logs an error for every response with status 403, which some tests expect.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      consoleErrors.push(message.text())
  })
  context.on('weberror', (error) => consoleErrors.push(error.error().message))
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  return { context, page, consoleErrors }
}

/** The database file of the demo users, created once: hashing their passwords takes longer than many tests. */
let seededUsers: Promise<Uint8Array> | undefined

async function seedOnce(): Promise<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), 'mintmark-users-'))
  const file = join(folder, 'users.db')
  const tables = openTables(file)
  await seedUsers(await openUsers({ tables }))
  tables.close()
  const table = await readFile(file)
  await rm(folder, { recursive: true })
  return table
}
