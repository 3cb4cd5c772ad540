import { clientId, epochSeconds } from '@mintmark/storage-interface'
import { secretDigest } from '@mintmark/storage-interface/stores'

import { createRedisStorage } from '../../src/index.ts'
import { connectClient, connectCluster } from './redis-clients.ts'

// A separate process for races. For each task that it receives, it presents a code many times at once.

export interface PresenterTask {
  readonly digest: string
  readonly clientId: string
  readonly now: number
  readonly times: number
}

const [kind, ...urls] = process.argv.slice(2)
const nodes = urls.map((url) => ({ url }))
const [first] = nodes
if (first === undefined) throw new Error('Pass the kind of Redis and its URLs as arguments.')

const client = kind === 'cluster' ? await connectCluster({ nodes }) : await connectClient(first)
const { codes } = createRedisStorage({ client, issuer: 'https://issuer.example' })

process.on('message', (task: PresenterTask) => void present(task))
process.once('disconnect', () => client.destroy())
process.send?.('ready')

async function present(task: PresenterTask): Promise<void> {
  const presentations = Array.from({ length: task.times }, () =>
    codes.consume(secretDigest(task.digest), clientId(task.clientId), epochSeconds(task.now)),
  )
  process.send?.((await Promise.all(presentations)).map(({ outcome }) => outcome))
}
