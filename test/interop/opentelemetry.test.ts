import { context, trace, type Span, type Tracer } from '@opentelemetry/api'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { countEvents, observeDeliveries, traceService } from '@mintmark/core'
import { epochSeconds } from '@mintmark/storage-interface'
import { aDelivery } from '@mintmark/storage-interface/fixtures'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { describe, expect, it } from 'vitest'

import { basic, token } from '../support/flow.ts'
import { startServer } from '../support/server-under-test.ts'

describe('OpenTelemetry', () => {
  it('the metrics SDK counts actions and refusals by reason, without attributes that identify anyone', async () => {
    const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
    const provider = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter })] })
    const site = await startServer({ onEvent: countEvents(provider.getMeter('test')) })
    const asMachine = (secret: string) =>
      token(site, { grant_type: 'client_credentials' }, { authorization: basic('M', secret) })
    await asMachine(site.clients.M.secret)
    await asMachine(site.clients.M.secret)
    await asMachine('wrong')
    await provider.forceFlush()

    const metrics = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics))
    const counts = metrics.flatMap(({ dataPoints }) =>
      dataPoints.map(({ attributes, value }): Readonly<Record<string, unknown>> => ({ ...attributes, value })),
    )

    expect(counts).toEqual([
      { type: 'tokens.issued', value: 2 },
      { type: 'request.refused', code: 'invalid_client', reason: 'client_credentials_wrong', value: 1 },
    ])
    await provider.shutdown()
    await site.close()
  })

  it('the metrics SDK reads how many deliveries are pending and dead, and the age of the oldest', async () => {
    const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
    const provider = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter })] })
    const storage = createMemoryStorage({ issuer: 'https://as.test' })
    const { createdAt } = aDelivery('1')
    await storage.deliveries.enqueue([aDelivery('1'), aDelivery('2')])
    observeDeliveries(provider.getMeter('test'), { storage, clock: () => epochSeconds(createdAt + 90) })

    await provider.forceFlush()

    const metrics = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics))
    expect(metrics.map(({ descriptor, dataPoints }) => [descriptor.name, dataPoints[0]?.value])).toEqual([
      ['mintmark.deliveries.pending', 2],
      ['mintmark.deliveries.dead', 0],
      ['mintmark.deliveries.oldest', 90],
    ])
    await provider.shutdown()
  })

  it('a tracer gets a span for each request, with its method, path and status', async () => {
    const spans: Readonly<Record<string, unknown>>[] = []
    const site = await startServer()
    const service = traceService(site.server, recordingTracer(spans))

    await service.handle({
      method: 'GET',
      url: new URL('https://as.test/jwks'),
      headers: new Map(),
      repeatedHeaders: new Set(),
      host: undefined,
      body: new Uint8Array(),
    })

    expect(spans).toEqual([
      { name: 'GET /jwks', 'http.request.method': 'GET', 'http.response.status_code': 200, ended: true },
    ])
    await site.close()
  })
})

/** Creates a tracer with the types of the OpenTelemetry API. It records the data of its spans. */
function recordingTracer(spans: Record<string, unknown>[]): Tracer {
  const startSpan = (name: string): Span => {
    const attributes: Record<string, unknown> = { name }
    spans.push(attributes)
    const span = trace.wrapSpanContext({ traceId: '0'.repeat(32), spanId: '0'.repeat(16), traceFlags: 0 })
    span.setAttribute = (key, value) => {
      attributes[key] = value
      return span
    }
    span.end = () => void (attributes['ended'] = true)
    return span
  }
  const startActiveSpan = (name: string, ...rest: unknown[]): unknown => {
    const run = rest.at(-1) as (span: Span) => unknown
    return context.with(context.active(), run, undefined, startSpan(name))
  }
  return { startSpan, startActiveSpan }
}
