import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'

import { seedUsers } from '../../examples/express-sqlite/src/demo-users.ts'
import { startExample } from '../../examples/express-sqlite/src/start.ts'
import { openUsers } from '../../packages/create-mintmark/template/src/users.ts'
import { quietLogger } from './quiet-logger.ts'

/** The example, started afresh on a free port, and browsers to visit it with. */
export interface Stage {
  readonly url: string
  readonly dataFolder: string
  /** What the example prints for the administrator of a directory. */
  readonly provider: { readonly tenantUrl: string; readonly secret: string }
  /** What the server has reported so far, such as `tokens.issued: refresh_token to A`. */
  readonly log: readonly string[]
  /** A browser that nobody has used: its own cookies, and one tab. */
  openBrowser(options?: BrowserContextOptions): Promise<Visitor>
  close(): Promise<void>
}

/** One browser of one person. */
export interface Visitor {
  readonly context: BrowserContext
  readonly page: Page
  /** What Chromium complained about so far: blocked by a policy, or thrown by a script. */
  readonly complaints: readonly string[]
}

export async function openStage(browser: Browser): Promise<Stage> {
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

/** @param options `javaScriptEnabled`, `viewport` and the like. */
export async function openVisitor(browser: Browser, options: BrowserContextOptions = {}): Promise<Visitor> {
  const context = await browser.newContext(options)
  const complaints: string[] = []
  context.on('console', (message) => {
    // That a refused form answers with 403 is no complaint.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text())
  })
  context.on('weberror', (error) => complaints.push(error.error().message))
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  return { context, page, complaints }
}

/** The table of the demo's users. To hash their passwords takes longer than many a test: it is done once for all stages. */
let seededUsers: Promise<Uint8Array> | undefined

async function seedOnce(): Promise<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), 'mintmark-users-'))
  const file = join(folder, 'users.db')
  const users = openUsers(file)
  await seedUsers(users)
  users.close()
  const table = await readFile(file)
  await rm(folder, { recursive: true })
  return table
}
