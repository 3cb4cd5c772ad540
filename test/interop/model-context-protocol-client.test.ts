import * as secondGeneration from '@modelcontextprotocol/client'

import { describeMcpExample } from './mcp-example-suite.ts'
import { describeModelContextProtocol } from './model-context-protocol-suite.ts'

const name = 'the TypeScript client of the Model Context Protocol'

describeModelContextProtocol(name, secondGeneration)

describeMcpExample(name, {
  generation: 'second',
  open(server, provider) {
    const transport = new secondGeneration.StreamableHTTPClientTransport(server, { authProvider: provider })
    const client = new secondGeneration.Client({ name: 'tool', version: '1.0.0' })
    return {
      connect: () => client.connect(transport),
      finish: (answer) => transport.finishAuth(answer),
      async call(tool, parameters = {}) {
        const { content } = await client.callTool({ name: tool, arguments: parameters })
        const [first] = content
        return first?.type === 'text' ? first.text : ''
      },
    }
  },
})
