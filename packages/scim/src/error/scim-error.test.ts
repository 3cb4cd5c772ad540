import { expect, test } from 'vitest'
import { refuse, renderScimError } from './scim-error.ts'
import { refusals, type ScimRefusalReason } from './refusals.ts'

const reasons = Object.keys(refusals) as readonly ScimRefusalReason[]

test('renders the status as a string, and always a detail (RFC 7644 §3.12)', () => {
  expect(renderScimError(refuse('filter_syntax'))).toEqual({
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    scimType: 'invalidFilter',
    detail: 'The filter does not follow the grammar of RFC 7644 section 3.4.2.2.',
    status: '400',
  })
})

test('omits scimType where the RFC lists none (RFC 7644 §3.12)', () => {
  expect(renderScimError(refuse('operations_too_many'))).not.toHaveProperty('scimType')
})

test.each(reasons)('responds to %s with a fixed sentence', (reason) => {
  const error = refuse(reason)

  expect(error.detail).toMatch(/^[A-Z][ -~]+\.$/)
  expect(error.status).toBeGreaterThanOrEqual(400)
  expect(error.reason).toBe(reason)
})

test('sends the attribute, and not the cause', () => {
  const error = refuse('path_syntax', { cause: new Error('secret'), attribute: 'emails' })

  expect(renderScimError(error).detail).toMatch(/\. Attribute: emails\.$/)
  expect(JSON.stringify(renderScimError(error))).not.toContain('secret')
  expect(error.cause).toBeInstanceOf(Error)
})
