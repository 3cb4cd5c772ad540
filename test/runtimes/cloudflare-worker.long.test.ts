import { rmSync } from 'node:fs'

import { adminLaws } from '@mintmark/storage-interface/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { describeExample } from '../flows/example-suite.ts'
import { freePort } from '../support/free-port.ts'
import { send } from '../support/send.ts'
import { startProgram, type RunningProgram } from '../support/start-program.ts'
import { bundle } from './bundle.ts'
import { workerdCommand } from './workerd.ts'

describe('the Worker example', () => {
  let folder: string
  let issuer: string
  let running: RunningProgram
  beforeAll(async () => {
    folder = await bundle({ entry: 'examples/cloudflare-worker/src/worker.ts', node: 'all' })
    const port = await freePort()
    issuer = `http://localhost:${port}`
    const bindings = { ISSUER_URL: issuer, SEALING_KEY: 'A'.repeat(43) }
    running = await startProgram({
      command: workerdCommand({ port, folder, bindings, durableObject: 'Mintmark' }),
      cwd: folder,
      port,
    })
  })
  afterAll(() => {
    running.stop()
    rmSync(folder, { recursive: true })
  })

  describeExample(() => ({ issuer, secret: /client_secret (\S+)/.exec(running.output())?.[1] ?? '' }))
})

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
