import ArgumentParser
import BrowseScreen

extension ImageChoice: ExpressibleByArgument {}
