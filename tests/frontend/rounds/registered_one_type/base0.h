struct base0 : absent::base { std::vector<int> a; };
