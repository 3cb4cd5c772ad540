import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

import type { By, PlainOperation } from './arbitraries/patch-operations.ts'
import { enterprise } from './arbitraries/user-and-filter.ts'

type Mutable = Record<string, JsonValue | undefined>

/** What the naive model refuses. */
export class NaiveRefusal extends Error {}

/** PATCH in strict mode, done to a copy in place, without schema: RFC 7644 §3.5.2 read line by line. */
export function naivePatch(user: JsonObject, operations: readonly PlainOperation[]): JsonObject {
  const copy = structuredClone(user) as Mutable
  for (const operation of operations) applyNaively(copy, operation)
  copy['schemas'] = [
    ...(user['schemas'] as string[]).slice(0, 1),
    ...(copy[enterprise] === undefined ? [] : [enterprise]),
  ]
  return JSON.parse(JSON.stringify(copy)) as JsonObject
}

function applyNaively(user: Mutable, operation: PlainOperation): void {
  switch (operation.kind) {
    case 'set':
      return set(user, operation.path, operation.value)
    case 'unset':
      return unset(user, operation.path)
    case 'merge':
      for (const [part, value] of Object.entries(operation.value)) {
        if (value === null) unset(user, ['name', part])
        else set(user, ['name', part], value)
      }
      return undefined
    case 'list':
      return list(user, operation.op, operation.value)
    case 'edit':
      return edit(user, operation)
    case 'drop':
      return drop(user, operation.by, operation.sub)
    default:
      return operation satisfies never
  }
}

function set(user: Mutable, [first = '', second]: readonly string[], value: JsonValue): void {
  if (second === undefined) user[first] = value
  else user[first] = { ...(user[first] as JsonObject | undefined), [second]: value }
}

function unset(user: Mutable, [first = '', second]: readonly string[]): void {
  if (first === 'userName' || first === 'id') throw new NaiveRefusal()
  const owner = second === undefined ? user : { ...(user[first] as Mutable | undefined) }
  delete owner[second ?? first]
  if (second === undefined) return
  if (Object.keys(owner).length === 0) delete user[first]
  else user[first] = owner as JsonObject
}

function list(user: Mutable, op: 'add' | 'replace', given: readonly JsonObject[]): void {
  if (given.filter((email) => email['primary'] === true).length > 1) throw new NaiveRefusal()
  const once: Mutable[] = []
  for (const email of given) mergeInto(once, email)
  const emails = op === 'add' ? emailsOf(user) : []
  for (const email of once) mergeInto(emails, email)
  const primary = once.find((email) => email['primary'] === true)
  keep(user, emails, primary === undefined ? undefined : emails.find((one) => key(one) === key(primary)))
}

function mergeInto(emails: Mutable[], email: Mutable): void {
  const there = emails.find((one) => key(one) === key(email))
  if (there === undefined) emails.push({ ...email })
  else Object.assign(there, email)
}

function edit(user: Mutable, { op, by, sub, value }: Extract<PlainOperation, { readonly kind: 'edit' }>): void {
  const emails = emailsOf(user)
  const selected = emails.filter((email) => isBy(email, by))
  if (selected.length === 0) throw new NaiveRefusal()
  for (const email of selected) {
    if (sub === undefined && op === 'replace') for (const name of Object.keys(email)) delete email[name]
    Object.assign(email, sub === undefined ? value : { [sub]: value })
  }
  const primary = selected.filter((email) => email['primary'] === true)
  if (primary.length > 1) throw new NaiveRefusal()
  keep(user, emails, primary[0])
}

function drop(user: Mutable, by: By, sub: string | undefined): void {
  const emails = emailsOf(user)
  if (sub === undefined)
    return keep(
      user,
      emails.filter((email) => !isBy(email, by)),
      undefined,
    )
  for (const email of emails.filter((one) => isBy(one, by))) delete email[sub]
  return keep(user, emails, undefined)
}

function keep(user: Mutable, emails: readonly Mutable[], primary: Mutable | undefined): void {
  for (const email of emails)
    if (primary !== undefined && email !== primary && email['primary'] === true) email['primary'] = false
  if (emails.length === 0) delete user['emails']
  else user['emails'] = emails as readonly JsonObject[]
}

const emailsOf = (user: Mutable): Mutable[] => [...((user['emails'] ?? []) as unknown as Mutable[])]
const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? value.toLowerCase() : '')
const key = (email: Mutable): string => `${text(email['value'])}|${text(email['type'])}`
const isBy = (email: Mutable, by: By): boolean =>
  email[by.name] !== undefined && text(email[by.name]) === by.text.toLowerCase()
