// Vite takes styles as imports.
declare module '*.css';
