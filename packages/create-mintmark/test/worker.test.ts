import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { expect, it, onTestFinished, vi } from 'vitest'

import worker from '../template/frameworks/cloudflare-workers/code/worker.ts'
import { startWorker } from '../template/frameworks/cloudflare-workers/scripts/start-worker.ts'

it('a Worker without an issuer answers 503, and says in the log what to set', async () => {
  const log = vi.spyOn(console, 'error').mockReturnValue()
  const unused = { getByName: () => expect.unreachable() }

  const answer = await worker.fetch(new Request('https://id.example.com/'), { MINTMARK: unused, MINTMARK_ISSUER: '' })

  expect([answer.status, await answer.text()]).toEqual([503, 'The server is not set up.\n'])
  expect(log).toHaveBeenCalledWith(expect.stringContaining('Set MINTMARK_ISSUER in wrangler.jsonc'))
})

it('a Worker is not started while another program answers on its port', async () => {
  const other = createServer((_request, response) => void response.end('not a Worker'))
  await new Promise<void>((done) => other.listen(0, 'localhost', done))
  onTestFinished(() => void other.close())
  const issuer = `http://localhost:${(other.address() as AddressInfo).port}`

  await expect(startWorker({ issuer })).rejects.toThrow(`Another program answers at ${issuer}.`)
})
