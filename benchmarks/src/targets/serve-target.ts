import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

import type { Site, TargetSettings } from '../site.ts'

/** What a target says to the benchmark: how to talk to it, and what its process has used. */
export type TargetReport =
  | { readonly kind: 'ready'; readonly site: Site }
  | { readonly kind: 'used'; readonly cpuMicroseconds: number; readonly residentBytes: number }

/** A server to be measured: its listener, and how to talk to it. */
export interface Target {
  readonly listener: RequestListener
  readonly site: Omit<Site, 'port'>
}

// The end of the benchmark is the end of its targets, also of one that is not ready; exiting in order lets a profiler write what it has.
process.on('disconnect', () => process.exit())

/** Which variant the benchmark asked for. */
export const targetSettings = (): TargetSettings => JSON.parse(process.argv[2] ?? '{}') as TargetSettings

/**
 * Runs a target's process: listens on a free port, and answers what the benchmark asks. The server behind `listener` says
 * that it is `issuer`, as one behind a proxy does.
 */
export async function serveTarget({ listener, site }: Target): Promise<void> {
  const server = createServer(listener)
  // Connections wait for their turn longer than a server would usually let them.
  server.keepAliveTimeout = 0
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    report({ kind: 'used', cpuMicroseconds: user + system, residentBytes: process.memoryUsage.rss() })
  })
  report({ kind: 'ready', site: { ...site, port } })
}

const report = (message: TargetReport): void => void process.send?.(message)
