import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

import type { Site, TargetSettings } from '../site.ts'

/** The target's messages to the benchmark: how to use the target, and the resources that its process has used. */
export type TargetReport =
  | { readonly kind: 'ready'; readonly site: Site }
  | { readonly kind: 'used'; readonly cpuMicroseconds: number; readonly residentBytes: number }

/** A server to measure, and how to use it. */
export interface Target {
  readonly listener: RequestListener
  readonly site: Omit<Site, 'port'>
}

// When the benchmark ends, its targets end too, even while they start. A regular exit lets the profiler write the
// profile.
process.on('disconnect', () => process.exit())

/** Returns the settings that the benchmark has passed to this process. */
export const targetSettings = (): TargetSettings => JSON.parse(process.argv[2] ?? '{}') as TargetSettings

/**
 * Runs a target's process: listens on a free port, and responds to the benchmark's messages. The server uses the
 * constant `issuer` as its URL, as it would behind a proxy.
 */
export async function serveTarget({ listener, site }: Target): Promise<void> {
  const server = createServer(listener)
  // Connections wait for their turn longer than the default timeout allows.
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
