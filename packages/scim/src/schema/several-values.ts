import type { AttributeOptions } from './attribute.ts'

/**
 * A multi-valued attribute with the sub-attributes of RFC 7643 §2.4: `value`, `display`, `type`, `primary`.
 * @param value whatever differs for `value`.
 * @param canonicalValues suggestions for `type`.
 */
export const severalValues = (
  attribute: Pick<AttributeOptions, 'name' | 'description' | 'maxValues'>,
  value: Partial<AttributeOptions> = {},
  canonicalValues: readonly string[] = [],
): AttributeOptions => ({
  ...attribute,
  type: 'complex',
  multiValued: true,
  subAttributes: [
    { name: 'value', description: 'The value itself.', ...value },
    { name: 'display', description: 'The value as shown to people.' },
    { name: 'type', description: 'What the value is for.', canonicalValues },
    { name: 'primary', type: 'boolean', description: 'Whether this is the preferred one; at most one value is.' },
  ],
})
