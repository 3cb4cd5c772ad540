import * as firstGeneration from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js'

import { describeMcpExample } from './mcp-example-suite.ts'
import { describeModelContextProtocol } from './model-context-protocol-suite.ts'

const name = 'the TypeScript client of the Model Context Protocol, first generation'

describeModelContextProtocol(name, firstGeneration)

describeMcpExample(name, {
  generation: 'first',
  open(server, provider) {
    const transport = new StreamableHTTPClientTransport(server, { authProvider: provider })
    const client = new Client({ name: 'tool', version: '1.0.0' })
    return {
      connect: () => client.connect(transport),
      finish: (answer) => transport.finishAuth(answer.get('code') ?? ''),
      async call(tool, parameters = {}) {
        const result = await client.callTool({ name: tool, arguments: parameters })
        const [first] = CallToolResultSchema.parse(result).content
        return first?.type === 'text' ? first.text : ''
      },
    }
  },
})
