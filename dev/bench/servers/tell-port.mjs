// @ts-check
/**
 * Tells the parent process where a server listens.
 * @param {import('node:http').Server} server
 */
export function tellPort(server) {
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('The server has no port');
  process.send?.({ port: address.port });
}
