import { createSocket } from 'node:dgram'
import { hostname } from 'node:os'

/** Any event of the authorization server, SCIM, the administration or client registration. */
interface AnyEvent {
  readonly type: string
  /** In seconds since 1970. */
  readonly at: number
}

type Sink = (event: AnyEvent) => void

/** An `Error` has no members of its own that JSON shows, so its message is written. */
export const toJson = (event: AnyEvent): string =>
  JSON.stringify({ ...event, time: timeOf(event) }, (_, value: unknown) =>
    value instanceof Error ? `${value.name}: ${value.message}` : value,
  )

/** Writes one line of JSON for each event, for collectors that read the standard output. */
export const toJsonLines =
  (output: { write(text: string): unknown } = process.stdout): Sink =>
  (event) =>
    void output.write(`${toJson(event)}\n`)

/** Sends each event to a syslog server (RFC 5424, RFC 5426). UDP may lose messages: prefer a collector on this host. */
export function toSyslog({ host = '127.0.0.1', port = 514, app = 'mintmark' } = {}): Sink {
  const socket = createSocket('udp4').unref()
  // A syslog server that does not exist must not stop this process.
  socket.on('error', (error) => console.error('The events do not reach syslog:', error.message))
  return (event) => {
    // Facility 10 is for authorization messages; severity 4 is a warning, 6 an information (RFC 5424 §6.2.1).
    const priority = 10 * 8 + (isWarning(event) ? 4 : 6)
    const header = `<${priority}>1 ${timeOf(event)} ${hostname()} ${app} ${process.pid} ${event.type} -`
    socket.send(`${header} \uFEFF${toJson(event)}`, port, host)
  }
}

/** Sends each event to an OpenTelemetry collector, as a log record of OTLP over HTTP. */
export const toOtlp = (url = 'http://127.0.0.1:4318/v1/logs', headers: Readonly<Record<string, string>> = {}): Sink =>
  toHttp(url, headers, (events) => {
    const logRecords = events.map((event) => ({
      timeUnixNano: `${event.at}000000000`,
      eventName: event.type,
      severityNumber: isWarning(event) ? 13 : 9,
      severityText: isWarning(event) ? 'WARN' : 'INFO',
      body: { stringValue: toJson(event) },
    }))
    const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'mintmark' } }] }
    return JSON.stringify({ resourceLogs: [{ resource, scopeLogs: [{ scope: { name: 'mintmark' }, logRecords }] }] })
  })

/** Posts events to a collector, by default as a list: at most 100 in a request, and one request at a time. */
export function toHttp(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  toBody = (events: readonly AnyEvent[]): string => `[${events.map(toJson).join()}]`,
): Sink {
  const waiting: AnyEvent[] = []
  let dropped = 0
  let isSending = false
  const send = async (): Promise<void> => {
    isSending = true
    while (waiting.length > 0) {
      if (dropped > 0) console.error(`${dropped} events were lost: the collector is too slow.`)
      dropped = 0
      const batch = waiting.splice(0, 100)
      const request = {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: toBody(batch),
        signal: AbortSignal.timeout(5000),
      }
      const answer = await fetch(url, request).catch((error: unknown) => error)
      if (!(answer instanceof Response && answer.ok)) console.error(`${batch.length} events were lost:`, answer)
      // Until its body was read, the connection cannot be used again.
      if (answer instanceof Response) await answer.body?.cancel()
    }
    isSending = false
  }
  return (event) => {
    // While the collector does not answer, memory must not grow without a limit.
    waiting.push(event)
    dropped += waiting.splice(0, waiting.length - 10_000).length
    if (!isSending) void send()
  }
}

const isWarning = ({ type }: AnyEvent): boolean => /refused|failed|dead|throttled|unsafe/.test(type)

const timeOf = ({ at }: AnyEvent): string => new Date(at * 1000).toISOString()
