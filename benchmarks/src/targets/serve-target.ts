import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

import type { Site, TargetSettings } from '../site.ts'

/** The target's messages to the benchmark: how to use it, and the resources that its process has used. */
export type TargetReport =
  | { readonly kind: 'ready'; readonly site: Site }
  | { readonly kind: 'used'; readonly cpuMicroseconds: number; readonly residentBytes: number }

/** A server to measure: its listener, and how to use it. */
export interface Target {
  readonly listener: RequestListener
  readonly site: Omit<Site, 'port'>
}

// When the benchmark ends, its targets end too, even while starting; a regular exit lets the profiler write its
// profile.
process.on('disconnect', () => process.exit())

/** The variant that the benchmark requested. */
export const targetSettings = (): TargetSettings => JSON.parse(process.argv[2] ?? '{}') as TargetSettings

/**
 * Runs a target's process: listens on a free port and answers the benchmark. The server behind `listener` uses `issuer`
 * as its own address, as one behind a proxy does.
 */
export async function serveTarget({ listener, site }: Target): Promise<void> {
  const server = createServer(listener)
  // Connections wait for their turn longer than a server's default time-outs allow.
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
