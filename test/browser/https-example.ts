import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createHost } from '../../examples/express-sqlite/src/host.ts'
import { selfSignedCertificate } from '../support/certificates.ts'
import { quietLogger } from './quiet-logger.ts'

/** The example's application behind TLS, as in production, with a self-signed certificate. */
export async function startHttpsExample(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'mintmark-example-'))
  const listener = createServer(selfSignedCertificate('localhost'))
  await new Promise<void>((resolve) => listener.listen(0, 'localhost', resolve))
  const url = `https://localhost:${(listener.address() as AddressInfo).port}`
  const host = await createHost({ issuer: url, dataFolder, logger: quietLogger() })
  listener.on('request', host.app)

  return {
    url,
    async close() {
      await new Promise((resolve) => {
        listener.close(resolve)
        listener.closeAllConnections()
      })
      await host.close()
      await rm(dataFolder, { recursive: true })
    },
  }
}
