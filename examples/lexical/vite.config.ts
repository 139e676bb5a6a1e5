import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { tokenEndpoint } from '../token-endpoint.ts';

export default defineConfig({ plugins: [react(), tokenEndpoint()] });
