import type { JsonValue } from '@mintmark/storage-interface'

import { refusal } from '../error/refusal.ts'
import type { Attribute } from '../schema/attribute.ts'
import { readBooleanText } from '../text/boolean-text.ts'
import { parseInstant } from '../text/instant.ts'
import { keepsRule } from '../text/text-rule.ts'
import type { ToleranceCounter } from '../tolerance/tolerance-counter.ts'

/**
 * A value of a simple type, as it was given (RFC 7643 §2.3).
 * @throws ScimError invalidValue — reasons `value_type`, `value_too_long`, `value_characters`.
 */
export function readSimple(attribute: Attribute, json: JsonValue, tally: ToleranceCounter): JsonValue {
  switch (attribute.type) {
    case 'boolean':
      return readBoolean(attribute, json, tally)
    case 'integer':
      // RFC 7643 §2.3.4.
      if (!Number.isSafeInteger(json)) throw wrongType(attribute)
      return json
    case 'decimal':
      // RFC 7643 §2.3.3.
      if (typeof json !== 'number' || !Number.isFinite(json)) throw wrongType(attribute)
      return json
    case 'string':
    case 'reference':
      return readText(attribute, json)
    case 'binary':
      // RFC 7643 §2.3.6.
      if (!base64.test(readText(attribute, json))) throw wrongType(attribute)
      return json
    case 'dateTime':
      // RFC 7643 §2.3.5.
      if (parseInstant(readText(attribute, json)) === undefined) throw wrongType(attribute)
      return json
    case 'complex':
      // RFC 7643 §2.3.8.
      throw wrongType(attribute)
    default:
      return attribute.type satisfies never
  }
}

function readBoolean(attribute: Attribute, json: JsonValue, tally: ToleranceCounter): boolean {
  if (typeof json === 'boolean') return json
  const text = typeof json === 'string' ? readBooleanText(json) : undefined
  // RFC 7643 §2.3.2: true and false. Entra writes "True" when it disables someone.
  if (text === undefined || !tally.admits('boolean-as-text')) throw wrongType(attribute)
  return text
}

function readText(attribute: Attribute, json: JsonValue): string {
  if (typeof json !== 'string') throw wrongType(attribute)
  // RFC 7643 §2.3.1 sets no bound; this server does.
  if (json.length > attribute.maxLength) throw refusal('value_too_long', { attribute: attribute.name })
  // RFC 8265 §3.3, RFC 8264 §9 for what people are told apart by; elsewhere what would break a header or a log line.
  if (!keepsRule(json, attribute.characters)) throw refusal('value_characters', { attribute: attribute.name })
  return json
}

/** RFC 7643 §2.3: a value has the type that its schema defines. */
const wrongType = (attribute: Attribute): Error => refusal('value_type', { attribute: attribute.name })

/** RFC 4648 §4 and §5, with or without padding (RFC 7643 §2.3.6). */
const base64 = /^[A-Za-z0-9+/_-]*={0,2}$/
