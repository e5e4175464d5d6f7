// An OAuth2 server for the test of a catalog by REST, on PORT of this machine. Its tokens live for twelve seconds.
import Provider from 'oidc-provider';

const {PORT: port, SECRET: secret} = process.env;
const client = {client_secret: secret, grant_types: ['client_credentials'], redirect_uris: [], response_types: [], token_endpoint_auth_method: 'client_secret_post'};
const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: [{...client, client_id: 'mirror', scope: 'catalog'}, {...client, client_id: 'catalog'}],
  scopes: ['catalog'],
  features: {clientCredentials: {enabled: true}, introspection: {enabled: true, allowedPolicy: () => true}, devInteractions: {enabled: false}},
  ttl: {ClientCredentials: 12},
});
provider.listen(Number(port), '127.0.0.1', () => console.log('serving'));
