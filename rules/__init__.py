"""The rules: one file each, in folders by family, found by walking this package."""
