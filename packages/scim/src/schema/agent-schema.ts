import { defineResourceType } from './resource-type.ts'
import { defineSchema } from './schema.ts'

/**
 * The agent of draft-wzdk-scim-agent-resource-00 (5 June 2026), an individual draft of authors from Microsoft and Okta. Its names
 * may still change.
 */
const agentSchema = defineSchema({
  id: 'urn:ietf:params:scim:schemas:core:2.0:Agent',
  name: 'Agent',
  description: 'An AI agent, for which a user is accountable',
  attributes: [
    { name: 'agentUserName', characters: 'name', description: 'The name that identifies the agent to its provider.' },
    { name: 'displayName', characters: 'name', description: 'The name of the agent, for people.' },
    { name: 'description', characters: 'lines', description: 'What the agent does.' },
    { name: 'active', type: 'boolean', description: 'Whether the agent may act.' },
    {
      name: 'owners',
      type: 'complex',
      multiValued: true,
      required: true,
      description: 'The users who are accountable: the primary one, or else the first. The agent ends with this user.',
      subAttributes: [
        { name: 'value', caseExact: true, required: true, description: 'The id of the user.' },
        {
          name: '$ref',
          type: 'reference',
          referenceTypes: ['User'],
          isComputed: true,
          description: 'The URI of the user.',
        },
        { name: 'display', characters: 'name', description: 'The name of the user.' },
        { name: 'type', canonicalValues: ['User'], description: 'Always a user.' },
        { name: 'primary', type: 'boolean', description: 'Whether this is the accountable user.' },
      ],
    },
  ],
})

export const agentResourceType = defineResourceType({ name: 'Agent', endpoint: '/Agents', schema: agentSchema })
