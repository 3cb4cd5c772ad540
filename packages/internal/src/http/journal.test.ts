import { Console } from 'node:console'
import { Writable } from 'node:stream'
import { expect, it } from 'vitest'
import { logEvent, type Logger } from './journal.ts'

const event = { type: 'token.revoked', clientId: 'A' }
const line = 'token.revoked: access_token by A'

it('passes the event to a logger as fields of its line', () => {
  const written: unknown[] = []
  const write = (fields: object, message: string) => void written.push(fields, message)
  const logger: Logger = { info: write, warn: write, error: write }

  logEvent(logger, { level: 'info', line, event })

  expect(written).toEqual([event, line])
})

it('writes one readable line to a console', () => {
  const { console, text } = aConsole()

  logEvent(console, { level: 'info', line, event })

  expect(text()).toBe(`${line}\n`)
})

it('writes the error after the line to a console', () => {
  const { console, text } = aConsole()

  logEvent(console, { level: 'error', line, event: { ...event, cause: new Error('The disk is full') } })

  expect(text()).toContain(`${line} Error: The disk is full\n    at `)
})

function aConsole() {
  let written = ''
  const stdout = new Writable({
    write: (chunk, _encoding, done) => {
      written += String(chunk)
      done()
    },
  })
  return { console: new Console({ stdout }), text: () => written }
}
