import { readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { adminLaws } from '@mintmark/storage-interface/contract'
import { buildEndSessionUrl } from 'openid-client'
import { parseConfigFileTextToJson } from 'typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { describeExample, signInToExample } from '../flows/example-suite.ts'
import { freePort } from '../support/free-port.ts'
import { navigate } from '../support/navigate.ts'
import { send } from '../support/send.ts'
import { startProgram, type RunningProgram } from '../support/start-program.ts'
import { bundle } from './bundle.ts'
import { workerdCommand } from './workerd.ts'

/** The configuration with which the example is deployed. */
const wrangler = parseConfigFileTextToJson(
  'wrangler.jsonc',
  readFileSync('examples/cloudflare-worker/wrangler.jsonc', 'utf8'),
).config as {
  readonly main: string
  readonly durable_objects: { readonly bindings: readonly { readonly name: string; readonly class_name: string }[] }
  readonly migrations: readonly { readonly new_sqlite_classes: readonly string[] }[]
  readonly vars: Readonly<Record<string, string>>
}

describe('the Worker example', () => {
  let folder: string
  let issuer: string
  let running: RunningProgram
  const app = createApp()
  beforeAll(async () => {
    folder = await bundle({ entry: `examples/cloudflare-worker/${wrangler.main}`, node: 'all' })
    const port = await freePort()
    issuer = `http://localhost:${port}`
    const bindings = { ...wrangler.vars, ISSUER_URL: issuer, APP_URL: await app.listen(), SEALING_KEY: 'A'.repeat(43) }
    running = await startProgram({
      command: workerdCommand({
        port,
        folder,
        bindings,
        durableObject: wrangler.durable_objects.bindings[0]?.class_name ?? '',
      }),
      cwd: folder,
      port,
    })
  })
  afterAll(() => {
    running.stop()
    app.close()
    rmSync(folder, { recursive: true })
  })
  const reach = () => ({
    issuer,
    secret: /client_secret (\S+)/.exec(running.output())?.[1] ?? '',
    app: app.url(),
  })

  describeExample(reach)

  it('has a configuration for wrangler with its object, the database of the object, and its variables', () => {
    expect(wrangler.durable_objects.bindings).toEqual([{ name: 'MINTMARK', class_name: 'Mintmark' }])
    expect(wrangler.migrations).toMatchObject([{ new_sqlite_classes: ['Mintmark'] }])
    expect(Object.keys(wrangler.vars)).toEqual(['ISSUER_URL', 'APP_URL'])
  })

  it('sends a logout token again without a request, after the client was down (Back-Channel Logout §2.5)', async () => {
    const { config, tokens, cookies } = await signInToExample(reach())
    const hint = { id_token_hint: tokens.id_token ?? '' }

    const signedOut = await navigate(buildEndSessionUrl(config, hint), { headers: { cookie: cookies } })

    expect(signedOut.status).toBe(200)
    await expect.poll(() => app.logouts(), { timeout: 90_000 }).toEqual([503, 200])
  })
})

/** The client application, which answers the first logout token with 503. */
function createApp() {
  const answers: number[] = []
  const server = createServer((request, response) => {
    if (request.url === '/backchannel-logout') {
      answers.push(answers.length === 0 ? 503 : 200)
      response.statusCode = answers.at(-1) ?? 500
    }
    request.resume()
    response.end()
  })
  const url = (): string => `http://localhost:${(server.address() as AddressInfo).port}`
  return {
    listen: () => new Promise<string>((resolve) => server.listen(0, 'localhost', () => resolve(url()))),
    url,
    logouts: (): readonly number[] => [...answers],
    close: () => server.close(),
  }
}

describe('the storage of the Worker example', () => {
  let folder: string
  let port: number
  let running: RunningProgram
  beforeAll(async () => {
    folder = await bundle({ entry: 'test/runtimes/fixture/law-worker.ts', node: 'all' })
    port = await freePort()
    running = await startProgram({
      command: workerdCommand({ port, folder, durableObject: 'Laws' }),
      cwd: folder,
      port,
    })
  })
  afterAll(() => {
    running.stop()
    rmSync(folder, { recursive: true })
  })

  const checkLaw = async (name: string): Promise<string> =>
    (await send(port, { path: `/?${new URLSearchParams({ law: name })}` })).text

  it.concurrent.each(adminLaws.map(({ name }) => name).filter((name) => name !== lawBeyondLimits))(
    'law: %s',
    async (name) => {
      expect(await checkLaw(name)).toBe('kept')
    },
  )

  it('a filter with more than a hundred values fails, because it exceeds the limit of a Durable Object', async () => {
    expect(await checkLaw(lawBeyondLimits)).toContain('too many SQL variables')
  })
})

/** The filters of this law compare with hundreds of values; Cloudflare allows a hundred bound values per statement. */
const lawBeyondLimits = 'filters: and, or and not combine filters of any number and depth'
