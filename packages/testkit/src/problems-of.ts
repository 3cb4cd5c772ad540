import type { Expectation, Json } from './transcripts/transcript.ts'
import { fillIn, valueAt, type Variables } from './variables.ts'

/** What came back. */
interface Answer {
  readonly status: number
  readonly body: Json | undefined
}

/** What an identity provider would not like about an answer; nothing when it is as expected. */
export function problemsOf({ status, body }: Answer, expected: Expectation, variables: Variables): readonly string[] {
  const statusProblems = expected.status.includes(status)
    ? []
    : [`status ${status}, expected ${expected.status.join(' or ')}`]
  // RFC 7644 §3.5.2: a change may be answered without a body.
  if (body === undefined) return statusProblems
  return [
    ...statusProblems,
    ...(expected.body === undefined ? [] : differences(body, fillIn(expected.body, variables), '')),
    ...(expected.absent ?? [])
      .filter((place) => hasValue(valueAt(body, place)))
      .map((place) => `${place} should have no value`),
    ...(expected.text ?? [])
      .filter((place) => !isText(valueAt(body, place)))
      .map((place) => `${place} should be a text`),
    ...(expected.never ?? [])
      .filter((text) => JSON.stringify(body).includes(text))
      .map((text) => `the answer holds ${text}`),
  ]
}

const hasValue = (value: Json | undefined): boolean =>
  value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)

const isText = (value: Json | undefined): boolean => typeof value === 'string' && value !== ''

/** Of objects the members that are expected; everything else as a whole. */
function differences(found: Json | undefined, expected: Json, place: string): readonly string[] {
  if (Array.isArray(expected)) return listDifferences(found, expected, place)
  if (typeof expected === 'object' && expected !== null) {
    if (typeof found !== 'object' || found === null || Array.isArray(found))
      return [`${place || 'the answer'} should be an object`]
    const members = found as Readonly<Record<string, Json>>
    return Object.entries(expected).flatMap(([name, member]) =>
      differences(
        Object.hasOwn(members, name) ? members[name] : undefined,
        member,
        place === '' ? name : `${place}.${name}`,
      ),
    )
  }
  return found === expected ? [] : [`${place} is ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`]
}

/** The order of values says nothing (RFC 7643 §2.4): each that is expected is there, and no others. */
function listDifferences(found: Json | undefined, expected: readonly Json[], place: string): readonly string[] {
  const items: readonly Json[] = Array.isArray(found) ? found : []
  if (items.length !== expected.length) return [`${place} has ${items.length} values, expected ${expected.length}`]
  return expected
    .filter((item) => !items.some((candidate) => differences(candidate, item, place).length === 0))
    .map((item) => `${place} should hold ${JSON.stringify(item)}`)
}
