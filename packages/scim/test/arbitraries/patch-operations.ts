import type { JsonObject, JsonValue } from '@mintmark/storage-interface'
import fc from 'fast-check'

import { aNearlyValidFilter } from './filter-text.ts'
import { enterprise } from './user-and-filter.ts'

/** A PATCH operation in the form that the naive model applies. */
export type PlainOperation =
  | {
      readonly kind: 'set'
      readonly op: 'add' | 'replace'
      readonly path: readonly string[]
      readonly value: JsonValue
    }
  | { readonly kind: 'unset'; readonly path: readonly string[] }
  | { readonly kind: 'merge'; readonly op: 'add' | 'replace'; readonly value: JsonObject }
  | { readonly kind: 'list'; readonly op: 'add' | 'replace'; readonly value: readonly JsonObject[] }
  | {
      readonly kind: 'edit'
      readonly op: 'add' | 'replace'
      readonly by: EmailSelector
      readonly sub: string | undefined
      readonly value: JsonValue
    }
  | { readonly kind: 'drop'; readonly by: EmailSelector; readonly sub: string | undefined }

/** Selects the e-mail addresses whose sub-attribute `name` equals `text`, ignoring case. */
export interface EmailSelector {
  readonly name: string
  readonly text: string
}

const word = (): fc.Arbitrary<string> => fc.constantFrom('a', 'A', 'b', 'c')
const op = (): fc.Arbitrary<'add' | 'replace'> => fc.constantFrom('add', 'replace')
const partial = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined })

const anEmail = (): fc.Arbitrary<JsonObject> =>
  fc
    .record({ value: word(), type: partial(word()), display: partial(word()), primary: partial(fc.boolean()) })
    .map(withoutUndefined)

const by = (): fc.Arbitrary<EmailSelector> => fc.record({ name: fc.constantFrom('value', 'type'), text: word() })

/** Generates operations that the strict profile may accept or refuse. They share few values, so that they often collide. */
export function aPlainOperation(): fc.Arbitrary<PlainOperation> {
  const kind = <K extends PlainOperation['kind']>(name: K): fc.Arbitrary<K> => fc.constant(name)
  const textPath = fc.constantFrom(
    ['userName'],
    ['title'],
    ['name', 'givenName'],
    ['name', 'familyName'],
    [enterprise, 'department'],
  )
  const name = fc.record({ givenName: partial(fc.option(word())), familyName: partial(word()) }).map(withoutUndefined)
  return fc.oneof(
    fc.record({ kind: kind('set'), op: op(), path: textPath, value: word() }),
    fc.record({ kind: kind('set'), op: op(), path: fc.constant(['active']), value: fc.boolean() }),
    fc.record({ kind: kind('unset'), path: fc.oneof(textPath, fc.constantFrom(['name'], ['emails'], ['id'])) }),
    fc.record({ kind: kind('merge'), op: op(), value: name }),
    fc.record({ kind: kind('list'), op: op(), value: fc.array(anEmail(), { maxLength: 3 }) }),
    fc.record({
      kind: kind('edit'),
      op: op(),
      by: by(),
      sub: fc.constantFrom('value', 'type', 'display'),
      value: word(),
    }),
    fc.record({ kind: kind('edit'), op: op(), by: by(), sub: fc.constant('primary'), value: fc.boolean() }),
    fc.record({ kind: kind('edit'), op: op(), by: by(), sub: fc.constant(undefined), value: anEmail() }),
    fc.record({ kind: kind('drop'), by: by(), sub: fc.constantFrom(undefined, 'type', 'display', 'primary') }),
  )
}

/** Returns the operation in the form that a request contains. */
export function toOperation(operation: PlainOperation): JsonObject {
  switch (operation.kind) {
    case 'set':
      return { op: operation.op, path: pathOf(operation.path), value: operation.value }
    case 'unset':
      return { op: 'remove', path: pathOf(operation.path) }
    case 'merge':
      return { op: operation.op, path: 'name', value: operation.value }
    case 'list':
      return { op: operation.op, path: 'emails', value: operation.value }
    case 'edit':
      return { op: operation.op, path: selectionPath(operation), value: operation.value }
    case 'drop':
      return { op: 'remove', path: selectionPath(operation) }
    default:
      return operation satisfies never
  }
}

/** Generates the user that the operations change. */
export const aPatchedUser = (): fc.Arbitrary<JsonObject> =>
  fc
    .record({
      title: partial(word()),
      active: partial(fc.boolean()),
      emails: partial(
        fc.uniqueArray(fc.record({ value: word(), type: word() }), {
          minLength: 1,
          maxLength: 3,
          selector: ({ value, type }) => `${value}|${type}`.toLowerCase(),
        }),
      ),
    })
    .map((user) =>
      withoutUndefined({
        schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
        id: 'usr_1',
        userName: 'kim',
        ...user,
      }),
    )

/** Generates names and paths, some of which try to reach a prototype. */
export const aHostileName = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constantFrom(
      '__proto__',
      'constructor',
      'prototype',
      'toString',
      'hasOwnProperty',
      'valueOf',
      '__defineGetter__',
      'length',
    ),
    fc.constantFrom('userName', 'name', 'emails', 'active', 'value', 'type', 'id', 'schemas', 'meta', enterprise),
    fc.constantFrom(
      'constructor.prototype.isAdmin',
      '__proto__.isAdmin',
      'name.__proto__',
      'emails[type eq "a"].__proto__',
    ),
    fc.constantFrom(
      `${enterprise}:__proto__`,
      `${enterprise}:manager.value.__proto__`,
      'emails[__proto__ eq "a"].value',
      '$.userName',
    ),
    aNearlyValidFilter(),
  )

/** Generates JSON with hostile names and values. Like a result of `JSON.parse`, it can have an own member `__proto__`. */
export function aHostileValue(): fc.Arbitrary<JsonValue> {
  const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom<JsonValue>('a', '', 'True', true, null, 0, 1.5, 'a\0', '\ud800', [], {}),
      fc.array(tie('value'), { maxLength: 3 }),
      fc
        .array(fc.tuple(aHostileName(), tie('value')), { maxLength: 4 })
        .map(
          (members) =>
            JSON.parse(
              `{${members.map(([name, one]) => `${JSON.stringify(name)}:${JSON.stringify(one)}`).join(',')}}`,
            ) as JsonObject,
        ),
    ),
  }))
  return value
}

const pathOf = ([first = '', second]: readonly string[]): string =>
  second === undefined ? first : `${first}${first === enterprise ? ':' : '.'}${second}`

const selectionPath = ({ by: { name, text }, sub }: Extract<PlainOperation, { readonly by: EmailSelector }>): string =>
  `emails[${name} eq ${JSON.stringify(text)}]${sub === undefined ? '' : `.${sub}`}`

const withoutUndefined = (object: Readonly<Record<string, JsonValue | undefined>>): JsonObject =>
  JSON.parse(JSON.stringify(object)) as JsonObject
