import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

import { expect, it, onTestFinished, vi } from 'vitest'

import { toHttp, toJsonLines, toOtlp, toSyslog } from '../../docs/snippets/observe-the-server/sinks.ts'

const refused = { type: 'request.refused', at: 1_800_000_000, reason: 'storage_unavailable', cause: new Error('gone') }

it('writes an event as a line of JSON with the message of its cause', () => {
  const lines: string[] = []

  toJsonLines({ write: (line) => lines.push(line) })(refused)

  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    { ...refused, cause: 'Error: gone', time: '2027-01-15T08:00:00.000Z' },
  ])
  expect(lines[0]).toMatch(/\}\n$/)
})

it('sends a refusal to syslog as a warning of the facility for authorization (RFC 5424 §6)', async () => {
  const server = createSocket('udp4').bind(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')

  toSyslog({ port: server.address().port })(refused)
  const [message] = (await once(server, 'message')) as [Buffer]

  expect(message.toString()).toMatch(
    /^<84>1 2027-01-15T08:00:00\.000Z \S+ mintmark \d+ request\.refused - \uFEFF\{"type":"request\.refused"/,
  )
})

it('posts events in batches, in order', async () => {
  const { url, bodies } = await startCollector()

  const send = toHttp(url)
  for (const type of ['a', 'b', 'c']) send({ type, at: 0 })

  await expect.poll(() => bodies.flat()).toMatchObject([{ type: 'a' }, { type: 'b' }, { type: 'c' }])
  expect(bodies.length).toBeLessThan(3)
})

it('says how many events were lost because the collector was too slow', async () => {
  const { url, bodies } = await startCollector()
  const errors = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  onTestFinished(() => errors.mockRestore())
  const send = toHttp(url)

  for (let at = 0; at < 10_200; at += 1) send({ type: 'token.introspected', at })

  await expect.poll(() => bodies.length).toBe(101)
  expect(errors.mock.calls).toEqual([['199 events were lost: the collector is too slow.']])
})

it('posts an event to an OpenTelemetry collector as a log record of OTLP', async () => {
  const { url, bodies } = await startCollector()

  toOtlp(url)(refused)

  const record = {
    timeUnixNano: '1800000000000000000',
    eventName: 'request.refused',
    severityNumber: 13,
    body: { stringValue: expect.stringContaining('"cause":"Error: gone"') as string },
  }
  await expect.poll(() => bodies).toMatchObject([{ resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] }])
})

async function startCollector(): Promise<{ readonly url: string; readonly bodies: readonly unknown[] }> {
  const bodies: unknown[] = []
  const server = createServer((request, response) => {
    void (async () => {
      bodies.push(JSON.parse(await text(request)))
      response.end()
    })()
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies }
}

it('the dashboard asks only for metrics that the package core has', () => {
  const dashboard = readFileSync('docs/examples/observe/grafana-dashboard.json', 'utf8')
  const names = new Set([...dashboard.matchAll(/\b(?:mintmark|http_server)\w+/g)].map(([name]) => name))
  const telemetry = readFileSync('packages/core/src/telemetry.ts', 'utf8')
  // Prometheus replaces dots, and adds the unit and the kind of the metric.
  const known = [...telemetry.matchAll(/'((?:mintmark|http\.server)\.[\w.]+)'/g)].map(([, name = '']) =>
    name.replaceAll('.', '_'),
  )

  expect(names.size).toBeGreaterThan(3)
  expect([...names].filter((name) => !known.some((start) => name.startsWith(start)))).toEqual([])
})

it('the dashboard finds the duration with the name of the exporter for JavaScript, and with that of a collector', () => {
  const { panels } = JSON.parse(readFileSync('docs/examples/observe/grafana-dashboard.json', 'utf8')) as {
    readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[]
  }
  const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
  const patterns = expressions.flatMap((expression) => /__name__=~"([^"]+)"/.exec(expression)?.[1] ?? [])

  expect(expressions.filter((expression) => /duration_seconds|duration_(?:count|bucket)/.test(expression))).toEqual([])
  expect(patterns).toHaveLength(2)
  for (const pattern of patterns)
    for (const unit of ['', '_seconds'])
      expect(`http_server_request_duration${unit}_${pattern.split('_').at(-1)}`).toMatch(new RegExp(`^(?:${pattern})$`))
})
